public import Values

/// `Retry-After` as a wait (RFC 9110 section 10.2.3): seconds, or a date in any of HTTP's three
/// forms.
public enum RetryAfter {
    /// A wait that is longer than any push lives, so that longer ones need no exact value.
    static let longest = Duration.seconds(10 * 365 * 86400)

    /// The wait from now; nil when it cannot be read, is negative, zero or past: as if absent.
    public static func wait(_ text: String, now: Timestamp) -> Duration? {
        let text = trimmed(text)
        let wait = seconds(text) ?? HTTPDate.parse(text).map { $0 - now }
        return wait.flatMap { $0 > .zero ? min($0, longest) : nil }
    }

    private static func seconds(_ text: Substring) -> Duration? {
        guard !text.isEmpty,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        // More digits than an integer holds still mean "long".
        return Int64(text).map { min(.seconds(min($0, 1 << 32)), longest) } ?? longest
    }

    private static func trimmed(_ text: String) -> Substring {
        var text = text[...]
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
