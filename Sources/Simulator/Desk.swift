import HTTP2
import Values

/// Takes in what arrives at a double: asks the script, lets accidents happen, answers, and enters
/// it all in the inbox.
final class Desk: Sendable {
    struct Answer {
        let response: HTTP2Response
        /// The provider's word; nil for success.
        let reason: String?
        /// What makes two accepted requests the same.
        let repeats: Int?
    }

    let clock: @Sendable () -> Timestamp
    private let inbox: Inbox
    private let script: Script

    init(_ inbox: Inbox, _ script: Script, clock: @escaping @Sendable () -> Timestamp) {
        self.inbox = inbox
        self.script = script
        self.clock = clock
    }

    /// - Parameter answer: makes the answer; it is given the rule that fits, if one does.
    func serve(
        _ request: HTTP2ServerRequest, _ responder: HTTP2Responder,
        _ provider: SimulatedProvider, _ environment: String, token: String?,
        _ answer: (ScriptRule?) -> Answer
    ) {
        let rule = script.take(provider, environment, token: token)
        for accident in rule?.accidents ?? [] where !accident.happen(to: request, responder) {
            return enter(request, provider, environment, token, nil)
        }
        let answer = answer(rule)
        // Entered before it goes out: whoever has the answer finds it in the inbox.
        enter(request, provider, environment, token, answer)
        responder.respond(answer.response, after: rule?.delay ?? .zero)
    }

    private func enter(
        _ request: HTTP2ServerRequest, _ provider: SimulatedProvider, _ environment: String,
        _ token: String?, _ answer: Answer?
    ) {
        guard provider != .token else { return inbox.countTokenRequest() }
        let entry = InboxEntry(
            number: 0, at: clock(), provider: provider, environment: environment,
            method: request.method, path: request.path, headers: request.headers,
            body: request.body, token: token, connection: request.connection.number,
            answered: answer.map {
                InboxEntry.Answer(status: $0.response.status, reason: $0.reason)
            })
        inbox.add(entry, repeats: entry.isAccepted ? answer?.repeats : nil)
    }
}
