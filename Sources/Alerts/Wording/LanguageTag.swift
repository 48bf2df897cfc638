/// A BCP 47 language tag, normalised: `pt_BR`, `PT-br` and `pt-BR` are one.
public struct LanguageTag: Hashable, Sendable {
    /// The normalised tag: language lower case, script capitalised, region upper case, the rest
    /// lower case, joined by hyphens.
    public let text: String
    /// The language subtag.
    public let language: String
    /// The region subtag, upper case; nil when there is none.
    public let region: String?

    static let longest = 100

    /// Reads a tag with hyphens or underscores in any case; a malformed one is nil. That a language
    /// exists is not asked.
    public init?(_ tag: some StringProtocol) {
        let parts = tag.utf8.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        guard tag.utf8.count <= Self.longest, let first = parts.first,
            (2...8).contains(first.count), first.allSatisfy(Self.isLetter),
            parts.dropFirst().allSatisfy({ part in
                (1...8).contains(part.count)
                    && part.allSatisfy { Self.isLetter($0) || Self.isDigit($0) }
            })
        else { return nil }
        var reader = SubtagReader()
        let subtags = parts.map { reader.read(String(decoding: $0, as: UTF8.self)) }
        text = subtags.joined(separator: "-")
        language = subtags[0]
        region = reader.region
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension LanguageTag: CustomStringConvertible {
    public var description: String { text }
}

/// Tells what each subtag is by its length and place (RFC 5646 section 2.1).
private struct SubtagReader {
    var region: String?
    private var place = 0
    private var inExtension = false

    mutating func read(_ subtag: String) -> String {
        defer { place += 1 }
        if place == 0 { return subtag.lowercased() }
        if subtag.utf8.count == 1 { inExtension = true }
        if inExtension { return subtag.lowercased() }
        let startsWithDigit = subtag.first?.isNumber ?? false
        switch subtag.utf8.count {
        case 4 where place == 1 && !startsWithDigit: return subtag.capitalisedASCII
        case 2 where !startsWithDigit && region == nil,
            3 where startsWithDigit && region == nil:
            region = subtag.uppercased()
            return region ?? subtag
        default: return subtag.lowercased()
        }
    }
}

extension String {
    fileprivate var capitalisedASCII: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
