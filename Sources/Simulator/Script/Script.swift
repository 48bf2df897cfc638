import HTTP2
import Runtime
import Synchronization

/// The rules that are set ahead. The first that fits a request is used, in the order of adding.
public final class Script: Sendable {
    private let rules = Lock<[ScriptRule]>([])
    /// Read for every request, so that an empty script costs nothing.
    private let isSet = Atomic<Bool>(false)

    init() {}

    /// Behind the rules that are there.
    public func add(_ rule: ScriptRule) {
        rules.withLock { $0.append(rule) }
        isSet.store(true, ordering: .releasing)
    }

    /// From now on the providers' own rules answer alone.
    public func clear() {
        rules.withLock { $0 = [] }
        isSet.store(false, ordering: .releasing)
    }

    /// The rule for this request, one use of which is taken.
    func take(
        _ provider: SimulatedProvider, _ environment: String, token: String?
    ) -> ScriptRule? {
        guard isSet.load(ordering: .acquiring) else { return nil }
        return rules.withLock { rules in
            let index = rules.firstIndex { rule in
                (rule.provider ?? provider) == provider
                    && (rule.environment ?? environment) == environment
                    && (rule.token == nil || rule.token == token)
            }
            guard let index else { return nil }
            let rule = rules[index]
            if let left = rule.next {
                rules[index].next = left - 1
                if left <= 1 { rules.remove(at: index) }
            }
            return rule
        }
    }
}

extension ScriptRule.Accident {
    /// Does it to the connection of the request.
    ///
    /// - Returns: whether an answer can still follow.
    func happen(to request: HTTP2ServerRequest, _ responder: HTTP2Responder) -> Bool {
        switch self {
        case .goaway(let lastStream):
            request.connection.goaway(lastStream: lastStream ?? request.stream)
            return lastStream.map { $0 >= request.stream } ?? true
        case .goawayNotice:
            request.connection.goaway(lastStream: nil)
            return true
        case .close:
            request.connection.close()
            return false
        case .freeze:
            request.connection.freeze()
            return false
        case .refuseStreams(let count):
            responder.reset(7)
            request.connection.refuseStreams(count == .max ? nil : count - 1)
            return false
        case .maxConcurrentStreams(let count):
            request.connection.setMaxConcurrentStreams(count)
            return true
        }
    }
}
