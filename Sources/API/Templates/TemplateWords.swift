import Alerts
import Postgres
import Storage
import Values

/// What a path names: a kind and a language that there are.
struct TemplatePlace: CustomStringConvertible {
    let store: StoreID
    let kind: AlertKind
    let language: String

    /// - Throws: 404 for a kind that nobody is alerted of and for a language that is not offered.
    init(_ call: Call, _ words: TemplateWords) throws(Problem) {
        store = try call.path.id("store")
        language = try call.path.text("language")
        guard let kind = AlertKind.named(try call.path.text("kind")), kind.isListed,
            words.wording.catalogue.offered.contains(language)
        else { throw Problem(.notFound) }
        self.kind = kind
    }

    var description: String { "\(kind.name) \(language)" }
}

/// The built-in words and a store's own.
struct TemplateWords: Sendable {
    let wording: Wording

    /// What is in use, held until the transaction ends.
    func current(
        _ place: TemplatePlace, in transaction: PostgresTransaction
    ) throws -> TemplateAnswer {
        let own = try Templates.find(
            place.store, kind: place.kind.name, language: place.language, in: transaction)
        guard let answer = answer(place.kind, place.language, own.map { [$0] } ?? []) else {
            throw Problem(.notFound)
        }
        return answer
    }

    /// - Parameter own: what the store replaced.
    func answer(
        _ kind: AlertKind, _ language: String, _ own: [StoredTemplate]
    ) -> TemplateAnswer? {
        if let template = own.first(where: { $0.kind == kind.name && $0.language == language }) {
            return TemplateAnswer(kind, language, template.words.template, isDefault: false)
        }
        return wording.builtIn(kind, language: language).map {
            TemplateAnswer(kind, language, $0, isDefault: true)
        }
    }

    /// - Throws: 422 with every fault and its place in the text.
    func check(_ template: Alerts.Template, _ place: TemplatePlace) throws(Problem) {
        do throws(TemplateFaults) {
            try wording.check(template, for: place.kind, language: place.language)
        } catch {
            throw .invalid(
                error.faults.map {
                    FieldFault(pointer: $0.pointer, code: $0.code, message: $0.message)
                })
        }
    }

    /// The locale whose numbers a preview shows: the language's common region, or the one asked
    /// for.
    func locale(of place: TemplatePlace, asked: String?) throws(Problem) -> WordingLocale {
        guard let asked else { return wording.catalogue.locale(for: [place.language]) }
        guard let tag = LanguageTag(asked), tag.language == place.language else {
            throw .invalid("/locale", .format, "must be a tag of the language \(place.language)")
        }
        return wording.catalogue.locale(for: [tag.text])
    }
}
