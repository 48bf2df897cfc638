/// Why bytes are not one strict JSON document.
public struct JSONFault: Error, Sendable, Equatable {
    /// The words of the API.
    public enum Code: String, Sendable {
        /// Syntax, encoding, nesting, a number out of range, or nothing at all.
        case invalid = "invalid_json"
        /// One object has a key twice.
        case duplicateKey = "duplicate_key"
    }

    /// For programs; `message` is for people.
    public let code: Code
    /// The byte at which reading stopped, counted from 0.
    public let offset: Int
    /// What is wrong, in words that repeat nothing of the input.
    public let message: String

    public init(code: Code, offset: Int, message: String) {
        self.code = code
        self.offset = offset
        self.message = message
    }
}

extension JSONFault: CustomStringConvertible {
    public var description: String { "\(message) at byte \(offset)" }
}
