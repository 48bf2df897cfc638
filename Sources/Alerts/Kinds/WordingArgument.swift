/// Something that the texts of a kind may name.
public struct WordingArgument: Sendable, Equatable {
    /// What its value is, and so how a pattern may use it.
    public enum Form: Sendable, Equatable {
        /// Stands plain, or chooses by `select`.
        case text
        /// Stands plain, as `number`, or chooses by `plural`.
        case integer
        /// Stands plain, written as the reader's locale writes it.
        case money
    }

    /// As it stands between braces.
    public let name: String
    public let form: Form
    /// The key of the text that stands in for a missing part; nil: the part is left out, with what
    /// tied it to the rest.
    public let standIn: String?

    public init(name: String, form: Form, standIn: String? = nil) {
        self.name = name
        self.form = form
        self.standIn = standIn
    }

    func or(_ standIn: String) -> WordingArgument {
        WordingArgument(name: name, form: form, standIn: standIn)
    }

    static let number = WordingArgument(name: "number", form: .text)
    static let total = WordingArgument(name: "total", form: .money)
    static let customer = WordingArgument(name: "customer", form: .text)
    static let product = WordingArgument(name: "product", form: .text)
    static let variant = WordingArgument(name: "variant", form: .text)
    static let quantity = WordingArgument(name: "quantity", form: .integer)
    static let location = WordingArgument(name: "location", form: .text)
    static let message = WordingArgument(name: "message", form: .text)
    static let label = WordingArgument(name: "label", form: .text)
    static let caption = WordingArgument(name: "caption", form: .text)
}
