/// Why a pattern does not parse.
public struct PatternFault: Error, Sendable, Equatable {
    /// Where, as a count of code points from the pattern's start.
    public let offset: Int
    /// In plain words, without quoting the pattern.
    public let message: String

    public init(offset: Int, message: String) {
        self.offset = offset
        self.message = message
    }
}

extension PatternFault: CustomStringConvertible {
    public var description: String { "\(message) at character \(offset)" }
}

/// Why values do not fit a pattern.
public enum FormatFault: Error, Sendable, Equatable {
    /// The pattern uses an argument that was not given.
    case missing(argument: String)
    /// A value is not what the pattern does with it, as a text in a plural; ICU's word for it.
    case mismatch(String)
    /// An amount is no decimal, or a currency no code of three letters.
    case notMoney
    /// ICU could not make a second handle.
    case outOfMemory
}

extension FormatFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let argument): "argument \(argument) is missing"
        case .mismatch(let word): "a value does not fit its argument (\(word))"
        case .notMoney: "not an amount of money"
        case .outOfMemory: "out of memory"
        }
    }
}
