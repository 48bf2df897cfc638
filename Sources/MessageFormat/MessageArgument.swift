/// A value for a named argument of a pattern.
public enum MessageArgument: Sendable, Equatable {
    /// Data, whatever braces or quotes it holds: it comes out as it is.
    case text(String)
    /// A number for plurals and plain figures, grouped as the locale groups.
    case integer(Int64)
    /// A decimal in major units with a full stop, as `-1234.56`, and an ISO 4217 code.
    case money(amount: String, currency: String)
}

/// One use of an argument within a pattern.
public struct ArgumentUse: Sendable, Equatable {
    /// What the pattern does with the value.
    public enum Form: Sendable, Equatable {
        /// `{name}`: any value.
        case plain
        /// `{name, number}`: an integer.
        case number
        /// `{name, plural, …}` or `{name, selectordinal, …}`: an integer.
        case plural
        /// `{name, select, …}`: a text.
        case select
        /// Dates, times, spelled numbers, choices.
        case other
    }

    /// As it stands between braces.
    public let name: String
    public let form: Form
    /// Where its brace opens, as a count of code points.
    public let offset: Int

    public init(name: String, form: Form, offset: Int) {
        self.name = name
        self.form = form
        self.offset = offset
    }
}
