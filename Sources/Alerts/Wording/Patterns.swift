/// Parses patterns of ICU MessageFormat: the door through which this room formats text. The
/// composition fulfils it with the MessageFormat room.
///
/// Compiling the same pattern again is expected to be cheap: the one who fulfils it keeps what it
/// parsed, built-in texts and stores' own alike, within bounds.
public protocol PatternCompiler: Sendable {
    /// - Parameter locale: a BCP 47 tag
    func compile(
        _ pattern: String, locale: String
    ) throws(PatternProblem) -> any CompiledPattern
}

/// A parsed pattern, for any number of callers at once.
public protocol CompiledPattern: Sendable {
    /// Every use of an argument, in the order of the pattern.
    var uses: [PatternUse] { get }

    /// The text for these values. Text values are data and come out as they are.
    func format(_ values: [String: PatternValue]) throws(PatternProblem) -> String
}

/// One use of an argument within a pattern.
public struct PatternUse: Sendable, Equatable {
    /// How ICU is asked to format it, as far as it is told apart here.
    public enum Form: Sendable, Equatable {
        /// `{name}`: any value.
        case plain
        /// `{name, number}`: an integer.
        case number
        /// `{name, plural, …}` or `{name, selectordinal, …}`: an integer.
        case plural
        /// `{name, select, …}`: a text.
        case select
        /// Anything else that ICU knows, as dates; no argument here may be used so.
        case other
    }

    /// As it stands between braces.
    public let name: String
    public let form: Form
    /// Where it stands, as a count of code points.
    public let offset: Int

    public init(name: String, form: Form, offset: Int) {
        self.name = name
        self.form = form
        self.offset = offset
    }
}

/// A value of a named argument.
public enum PatternValue: Sendable, Equatable {
    /// Data, whatever braces or quotes it holds.
    case text(String)
    /// For plurals and figures, which the locale groups.
    case integer(Int64)
    /// Exact, and written as the locale writes its currency.
    case money(Money)
}

/// Why a pattern cannot be parsed or formatted.
public struct PatternProblem: Error, Sendable, Equatable {
    /// Where in the pattern, as a count of code points; nil when it is about values.
    public let offset: Int?
    /// For whoever writes the pattern; names no values.
    public let message: String

    public init(offset: Int?, message: String) {
        self.offset = offset
        self.message = message
    }
}

extension PatternProblem: CustomStringConvertible {
    public var description: String { offset.map { "\(message) at character \($0)" } ?? message }
}
