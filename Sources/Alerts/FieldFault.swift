/// One thing that is wrong with a body, named so that a program can find it.
public struct FieldFault: Sendable, Equatable {
    /// What kind of thing is wrong; the raw values are the words of the API.
    public enum Code: String, Sendable {
        case required
        case type
        case format
        case length
        case range
        case unknownValue = "unknown_value"
        case notAllowed = "not_allowed"
    }

    /// A JSON pointer (RFC 6901) into the body, as `/data/total/amount`.
    public let pointer: String
    public let code: Code
    /// What would be right, without repeating what was sent.
    public let message: String

    public init(pointer: String, code: Code, message: String) {
        self.pointer = pointer
        self.code = code
        self.message = message
    }
}

/// Everything that is wrong with a body, in the order in which its fields are declared.
public struct FieldFaults: Error, Sendable, Equatable {
    public let faults: [FieldFault]

    /// At least one, in that order.
    public init(_ faults: [FieldFault]) { self.faults = faults }
}

extension FieldFaults: CustomStringConvertible {
    /// Pointers, codes and messages; nothing of what was sent.
    public var description: String {
        faults.map { "\($0.pointer): \($0.message)" }.joined(separator: "; ")
    }
}
