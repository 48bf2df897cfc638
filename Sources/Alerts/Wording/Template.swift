/// A store's own title and body for a kind and language.
public struct Template: Sendable, Equatable {
    /// Both are patterns of ICU MessageFormat that name arguments of the kind.
    public let title: String
    public let body: String

    /// Checks nothing: `Wording.check` does.
    public init(title: String, body: String) {
        self.title = title
        self.body = body
    }

    /// How many characters (code points) each may have.
    public static let longest = 500
}

/// What is wrong with a store's own text, with its place.
public struct TemplateFault: Sendable, Equatable {
    /// `/title` or `/body`.
    public let pointer: String
    /// `length` or `format`.
    public let code: FieldFault.Code
    /// For whoever writes the text.
    public let message: String
    /// Where in the text, as a count of code points.
    public let offset: Int
}

/// Everything that is wrong with a template, title first.
public struct TemplateFaults: Error, Sendable, Equatable {
    /// One for each text at most.
    public let faults: [TemplateFault]
}

extension Wording {
    /// The built-in texts of a kind in a language, which a template replaces; nil when the kind or
    /// language has none.
    public func builtIn(_ kind: AlertKind, language: String) -> Template? {
        guard let title = catalogue.pattern(.title(of: kind), language: language),
            let body = catalogue.pattern(.body(of: kind), language: language)
        else { return nil }
        return Template(title: title, body: body)
    }

    /// Checks a store's own texts as they are to be saved.
    public func check(
        _ template: Template, for kind: AlertKind, language: String
    ) throws(TemplateFaults) {
        let locale = catalogue.locale(for: [language])
        let faults = [("/title", template.title), ("/body", template.body)].compactMap {
            fault(in: $1, at: $0, kind, locale)
        }
        guard faults.isEmpty else { throw TemplateFaults(faults: faults) }
    }

    private func fault(
        in pattern: String, at pointer: String, _ kind: AlertKind, _ locale: WordingLocale
    ) -> TemplateFault? {
        if pattern.unicodeScalars.count > Template.longest {
            return TemplateFault(
                pointer: pointer, code: .length,
                message: "must have at most \(Template.longest) characters",
                offset: Template.longest)
        }
        return problem(in: pattern, naming: kind.arguments, locale).map {
            TemplateFault(
                pointer: pointer, code: .format, message: $0.description, offset: $0.offset ?? 0)
        }
    }

    private func problem(
        in pattern: String, naming arguments: [WordingArgument], _ locale: WordingLocale
    ) -> PatternProblem? {
        PatternCheck.problem(
            in: pattern, naming: arguments, locale: locale.tag, compiler: compiler)
    }
}
