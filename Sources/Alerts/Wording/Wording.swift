/// Writes what somebody reads: a kind, what it names, a locale, and the store's own texts if it has
/// any.
public struct Wording: Sendable {
    public let catalogue: Catalogue
    let compiler: any PatternCompiler

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
            values[argument.name] =
                try value(of: argument, for: kind, content, locale) ?? .text(MissingPart.mark)
        }
        return values
    }

    /// The value of one argument; nil when the part is missing.
    private func value(
        of argument: WordingArgument, for kind: AlertKind, _ content: AlertContent,
        _ locale: WordingLocale
    ) throws(WordingFault) -> PatternValue? {
        switch argument {
        case .number: content.number.map { .text($0) }
        case .total: content.total.map { .money($0) }
        case .customer: try customer(of: kind, content, locale).map { .text($0) }
        case .product: .text(try product(content, locale))
        case .variant: seen(content.variant).map { .text($0) }
        case .location: seen(content.location).map { .text($0) }
        case .quantity: .integer(max(0, content.quantity ?? 0))
        case .message: try message(of: kind, content, locale).map { .text($0) }
        default: nil
        }
    }

    /// The name; "Customer" for one that shows nothing, and for a conversation without a name,
    /// which would have no title else.
    private func customer(
        of kind: AlertKind, _ content: AlertContent, _ locale: WordingLocale
    ) throws(WordingFault) -> String? {
        if let name = seen(content.customer) { return name }
        if content.customer == nil, kind.assignment == .none { return nil }
        return try builtIn(.unseenCustomer, [:], locale)
    }

    private func product(
        _ content: AlertContent, _ locale: WordingLocale
    ) throws(WordingFault) -> String {
        if let name = seen(content.product) { return name }
        return try builtIn(.unseenProduct, [:], locale)
    }

    private func message(
        of kind: AlertKind, _ content: AlertContent, _ locale: WordingLocale
    ) throws(WordingFault) -> String? {
        if let message = content.message, let text = try text(of: message, locale) { return text }
        guard kind == .conversationsHandedOver else { return nil }
        return try builtIn(.handedOverWithoutMessage, [:], locale)
    }

    /// A text message as it is, any other as its label and caption.
    private func text(
        of message: AlertContent.Message, _ locale: WordingLocale
    ) throws(WordingFault) -> String? {
        let text = seen(message.text)
        if message.kind == .text { return text }
        let label = try builtIn(.label(of: message.kind), [:], locale)
        guard let text else { return label }
        return try builtIn(
            .caption, ["label": .text(label), "caption": .text(text)], locale)
    }

    private func seen(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// What stands on the lock screen.
public struct AlertText: Sendable, Equatable {
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
    case notOffered(language: String)
    case unformatted(key: String, PatternProblem)
}

extension WordingFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notOffered(let language): "the language \(language) is not offered"
        case .unformatted(let key, let problem): "\(key): \(problem)"
        }
    }
}
