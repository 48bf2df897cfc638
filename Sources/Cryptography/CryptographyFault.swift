/// A call of the crypto library that failed although its input was checked: no memory, no entropy,
/// or a build of the library without the algorithm. It names the call, never its input.
public struct CryptographyFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was tried, as `sign`.
    public let operation: String
    /// The library's own words, or empty when it gave none.
    public let reason: String

    /// Names the operation and the library's word; nothing of the data.
    public var description: String {
        reason.isEmpty ? "cannot \(operation)" : "cannot \(operation): \(reason)"
    }
}
