/// One thing that is wrong with a body, named so that a program can find it.
public struct FieldFault: Sendable, Equatable {
    /// What kind of thing is wrong; the raw values are the words of the API.
    public enum Code: String, Sendable {
        /// A field that must be there is absent.
        case required
        /// Another JSON type than the one declared.
        case type
        /// A text that has not the form of what it stands for, as a UUID or a time.
        case format
        /// Too short or too long: a text, an array or an object.
        case length
        /// A number or moment outside its bounds.
        case range
        /// None of the words that are known there.
        case unknownValue = "unknown_value"
        /// Well-formed and known, but not there or not for this caller.
        case notAllowed = "not_allowed"
    }

    /// A JSON pointer (RFC 6901) into the body, as `/data/total/amount`.
    public let pointer: String
    /// For programs; `message` is for people.
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
    /// At least one.
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
