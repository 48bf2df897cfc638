import JSON

/// The texts of every language that is offered, read and checked whole.
public struct Catalogue: Sendable {
    let languages: [String: LanguageTexts]

    /// The languages that are offered, sorted.
    public var offered: [String] { languages.keys.sorted() }

    /// A file of one language: its name for messages, and what is in it.
    public struct File: Sendable {
        /// For messages; where it was read from is not told.
        public let name: String
        /// JSON in UTF-8.
        public let bytes: [UInt8]

        public init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    /// Reads one file per language. The first thing that is wrong refuses all of them.
    ///
    /// A file is `{"language", "default_region", "regions": […], "texts": {key: pattern}}`, with
    /// exactly the keys of `TextKey.all`.
    public init(
        _ files: [File], compiler: some PatternCompiler
    ) throws(CatalogueFault) {
        var languages: [String: LanguageTexts] = [:]
        for file in files {
            let texts = try LanguageTexts(file, compiler: compiler)
            guard languages[texts.language] == nil else {
                throw CatalogueFault(
                    file: file.name, problem: "the language \(texts.language) is there twice")
            }
            languages[texts.language] = texts
        }
        guard languages[Self.fallbackLanguage] != nil else {
            throw CatalogueFault(
                file: "\(Self.fallbackLanguage).json", problem: "the file is missing")
        }
        self.languages = languages
    }

    /// The pattern of a key; nil when the language is not offered.
    public func pattern(_ key: TextKey, language: String) -> String? {
        languages[language]?.texts[key.name]
    }
}

/// Why the texts are refused, in one line.
public struct CatalogueFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file's name.
    public let file: String
    /// What is wrong, with the key where there is one.
    public let problem: String

    public init(file: String, problem: String) {
        self.file = file
        self.problem = problem
    }

    public var description: String { "\(file): \(problem)" }
}
