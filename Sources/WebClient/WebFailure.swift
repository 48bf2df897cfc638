/// Why there is no answer. The words are the library's or ours: no address, header or body is in
/// them.
public enum WebFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The address is none, or one that is never called.
    case notAllowed(String)
    /// A header with a line break, or what else cannot be sent.
    case malformed
    /// No name, no route, nobody listening: nothing was sent.
    case unreachable(String)
    /// No trust, or no TLS at all: nothing was sent.
    case tls(String)
    /// The deadline passed; the request may have been processed.
    case timeout
    /// The answer is larger than the limit.
    case tooLarge
    /// The connection broke; the request may have been processed.
    case interrupted(String)

    public var description: String {
        switch self {
        case .notAllowed(let words): "the address is not allowed: \(words)"
        case .malformed: "the request cannot be sent as it is"
        case .unreachable(let words): "unreachable: \(words)"
        case .tls(let words): "no trusted connection: \(words)"
        case .timeout: "no answer in time"
        case .tooLarge: "the answer is too large"
        case .interrupted(let words): "the connection broke: \(words)"
        }
    }
}
