/// The language in which somebody reads and the locale in which their numbers stand.
public struct WordingLocale: Hashable, Sendable {
    /// A language that is offered, as `pt`.
    public let language: String
    /// A BCP 47 tag of that language with a region, as `pt-BR`.
    public let tag: String

    /// Checks nothing: `Catalogue.locale` chooses among what is offered.
    public init(language: String, tag: String) {
        self.language = language
        self.tag = tag
    }
}

extension Catalogue {
    /// The language of last resort.
    public static let fallbackLanguage = "pt"

    /// The locale of one push: the first of device, user and store whose language is offered, else
    /// Portuguese. The region is that of the same tag, if it fits the language.
    ///
    /// - Parameter tags: what is known, in that order; absent and malformed ones fall through.
    public func locale(for tags: [String?]) -> WordingLocale {
        for tag in tags {
            guard let tag = tag.flatMap({ LanguageTag($0) }),
                let texts = languages[tag.language]
            else { continue }
            return texts.locale(region: tag.region)
        }
        return languages[Self.fallbackLanguage]?.locale(region: nil)
            ?? WordingLocale(language: Self.fallbackLanguage, tag: Self.fallbackLanguage)
    }
}

extension LanguageTexts {
    fileprivate func locale(region: String?) -> WordingLocale {
        let fitting = region.flatMap { regions.contains($0) ? $0 : nil } ?? defaultRegion
        return WordingLocale(language: language, tag: "\(language)-\(fitting)")
    }
}
