import Alerts
import JSON
import Push
import Values

/// What a check found of one credential.
struct ProviderFinding: Sendable, Equatable {
    enum Result: String, Sendable {
        case accepted
        case refused
        /// The provider said nothing about it.
        case unknown
        /// It does not even parse.
        case faulty
    }

    let provider: String
    /// Nil where the provider has none.
    let environment: String?
    let result: Result
    let status: Int?
    let reason: String?
    let advice: String?

    init(_ fault: ProviderFault) {
        provider = fault.provider
        environment = nil
        result = .faulty
        status = nil
        reason = fault.variable
        advice = fault.problem
    }

    init(_ route: PushRoute, _ probe: ProbeResult) {
        provider = route.transport
        environment = route.environment.isEmpty ? nil : route.environment
        switch probe {
        case .accepted: (result, status, reason) = (.accepted, nil, nil)
        case .refused(let word): (result, status, reason) = (.refused, word.status, word.reason)
        case .unknown(let word): (result, status, reason) = (.unknown, word.status, word.reason)
        }
        advice = reason.map { ProviderAdvice.sentence(for: $0) }
    }

    /// `apns.sandbox`, `fcm`.
    var name: String { [provider, environment].compactMap { $0 }.joined(separator: ".") }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("provider", provider)
        writer.member("environment", orNull: environment)
        writer.member("result", result.rawValue)
        writer.key("status")
        if let status { writer.integer(status) } else { writer.null() }
        writer.member("reason", orNull: reason)
        writer.member("advice", orNull: advice)
        writer.endObject()
    }
}
