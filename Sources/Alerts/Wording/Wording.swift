/// Writes what somebody reads: a kind, what it names, a locale, and the store's own texts if it has
/// any.
public struct Wording: Sendable {
    /// The built-in texts.
    public let catalogue: Catalogue
    let compiler: any PatternCompiler

    /// - Parameter compiler: parses the built-in patterns and stores' own.
    public init(catalogue: Catalogue, compiler: any PatternCompiler) {
        self.catalogue = catalogue
        self.compiler = compiler
    }

    /// Title and body of an alert.
    ///
    /// A store's own text that cannot be formatted, or comes out empty where a part is missing,
    /// gives way to the built-in one. The built-in texts were checked when they were read, so a
    /// throw means that the language is not offered or memory is short.
    public func text(
        of kind: AlertKind, _ content: AlertContent, in locale: WordingLocale,
        replacement: Template? = nil
    ) throws(WordingFault) -> AlertText {
        let values = try values(of: kind, content, in: locale)
        let ownTitle = replacement.flatMap { try? line($0.title, values, locale) } ?? ""
        let ownBody = replacement.flatMap { try? line($0.body, values, locale) } ?? ""
        let title = try ownTitle.isEmpty ? builtIn(.title(of: kind), values, locale) : ownTitle
        let body = try ownBody.isEmpty ? builtIn(.body(of: kind), values, locale) : ownBody
        return AlertText(title: title, body: body.isEmpty ? nil : body)
    }

    /// Formats one pattern and tidies the line.
    private func line(
        _ pattern: String, _ values: [String: PatternValue], _ locale: WordingLocale
    ) throws(PatternProblem) -> String {
        let text = try compiler.compile(pattern, locale: locale.tag).format(values)
        return Text.cleanedLine(MissingPart.removed(from: text))
    }

    private func builtIn(
        _ key: TextKey, _ values: [String: PatternValue], _ locale: WordingLocale
    ) throws(WordingFault) -> String {
        guard let pattern = catalogue.pattern(key, language: locale.language) else {
            throw .notOffered(language: locale.language)
        }
        do {
            return try line(pattern, values, locale)
        } catch {
            throw .unformatted(key: key.name, error)
        }
    }

    private func values(
        of kind: AlertKind, _ content: AlertContent, in locale: WordingLocale
    ) throws(WordingFault) -> [String: PatternValue] {
        var values: [String: PatternValue] = [:]
        for argument in kind.arguments {
            values[argument.name] = try value(of: argument, content, locale)
        }
        return values
    }

    /// The value of one argument, what stands in for it, or the mark of a part to be left out.
    private func value(
        of argument: WordingArgument, _ content: AlertContent, _ locale: WordingLocale
    ) throws(WordingFault) -> PatternValue {
        switch argument.name {
        case WordingArgument.total.name:
            if let total = content.total { return .money(total) }
        case WordingArgument.quantity.name:
            return .integer(max(0, content.quantity ?? 0))
        default:
            if let text = try text(of: argument, content, locale) { return .text(text) }
        }
        guard let standIn = argument.standIn else { return .text(MissingPart.mark) }
        return .text(try builtIn(.standIn(standIn), [:], locale))
    }

    /// The text of a part; nil when it is missing. A name that shows nothing is there, and reads as
    /// "Customer" whatever its kind says of missing ones.
    private func text(
        of argument: WordingArgument, _ content: AlertContent, _ locale: WordingLocale
    ) throws(WordingFault) -> String? {
        switch argument.name {
        case WordingArgument.number.name: return content.number
        case WordingArgument.customer.name:
            guard content.customer == "" else { return content.customer }
            return try builtIn(.unseenCustomer, [:], locale)
        case WordingArgument.product.name: return Self.seen(content.product)
        case WordingArgument.variant.name: return Self.seen(content.variant)
        case WordingArgument.location.name: return Self.seen(content.location)
        case WordingArgument.message.name:
            guard let message = content.message else { return nil }
            return try text(of: message, locale)
        default: return nil
        }
    }

    /// A text message as it is, any other as its label and caption.
    private func text(
        of message: AlertContent.Message, _ locale: WordingLocale
    ) throws(WordingFault) -> String? {
        let text = Self.seen(message.text)
        if message.kind == .text { return text }
        let label = try builtIn(.label(of: message.kind), [:], locale)
        guard let text else { return label }
        return try builtIn(
            .caption, ["label": .text(label), "caption": .text(text)], locale)
    }

    private static func seen(_ text: String?) -> String? { text == "" ? nil : text }
}

/// What stands on the lock screen.
public struct AlertText: Sendable, Equatable {
    /// One line, cleaned.
    public var title: String
    /// Nil when there is nothing to say beyond the title.
    public var body: String?

    public init(title: String, body: String?) {
        self.title = title
        self.body = body
    }
}

/// Why an alert cannot be written.
public enum WordingFault: Error, Sendable, Equatable {
    /// The catalogue has no such language, or no text of this kind.
    case notOffered(language: String)
    /// A built-in text does not format, although it was checked when it was read.
    case unformatted(key: String, PatternProblem)
}

extension WordingFault: CustomStringConvertible {
    /// Names the language or the key; nothing of any text.
    public var description: String {
        switch self {
        case .notOffered(let language): "the language \(language) is not offered"
        case .unformatted(let key, let problem): "\(key): \(problem)"
        }
    }
}
