import JSON

/// The texts of one language.
struct LanguageTexts: Sendable {
    let language: String
    /// The region of the bare language: `pt` alone means `pt-BR`.
    let defaultRegion: String
    /// The regions whose number style the language knows.
    let regions: Set<String>
    let texts: [String: String]

    init(_ file: Catalogue.File, compiler: some PatternCompiler) throws(CatalogueFault) {
        let value: JSONValue
        do {
            value = try JSONValue.parse(file.bytes)
        } catch {
            throw CatalogueFault(file: file.name, problem: "\(error)")
        }
        func fault(_ problem: String) -> CatalogueFault {
            CatalogueFault(file: file.name, problem: problem)
        }
        let head: Set<String> = ["language", "default_region", "regions", "texts"]
        if let unknown = value.object?.keys.first(where: { !head.contains($0) }) {
            throw fault("\(unknown) is not known here")
        }
        guard let language = value["language"]?.text, LanguageTag(language)?.text == language,
            let region = value["default_region"]?.text,
            LanguageTag("\(language)-\(region)")?.region == region
        else { throw fault("language and default_region must be subtags, as \"pt\" and \"BR\"") }
        let regions = (value["regions"]?.array ?? []).map(\.text)
        guard let texts = value["texts"]?.object, !regions.contains(nil) else {
            throw fault("regions must be a list of texts, texts an object")
        }
        self.language = language
        defaultRegion = region
        self.regions = Set(regions.compactMap { $0 } + [region])
        self.texts = try Self.texts(texts, "\(language)-\(region)", compiler, fault)
    }

    /// Exactly the declared keys, each a pattern that names only what it may.
    private static func texts(
        _ object: JSONObject, _ locale: String, _ compiler: some PatternCompiler,
        _ fault: (String) -> CatalogueFault
    ) throws(CatalogueFault) -> [String: String] {
        let known = Set(TextKey.all.map(\.name))
        if let unknown = object.keys.first(where: { !known.contains($0) }) {
            throw fault("\(unknown) is not a key")
        }
        var texts: [String: String] = [:]
        for key in TextKey.all {
            guard let pattern = object[key.name]?.text else {
                throw fault("\(key.name) is missing")
            }
            if let problem = PatternCheck.problem(
                in: pattern, naming: key.arguments, locale: locale, compiler: compiler)
            {
                throw fault("\(key.name): \(problem)")
            }
            texts[key.name] = pattern
        }
        return texts
    }
}
