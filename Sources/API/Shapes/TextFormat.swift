import Alerts
public import JSON
import Values

/// A form that a text must have: checked by code, told to clients as a JSON Schema format or
/// pattern.
public struct TextFormat: Sendable {
    /// What a text of the form is, as the message says it: "an e-mail address".
    public let words: String
    public let schema: JSONObject
    public let accepts: @Sendable (String) -> Bool

    /// - Parameter schema: members that the text's schema gets, as `format` or `pattern`.
    public init(
        _ words: String, schema: JSONObject, accepts: @escaping @Sendable (String) -> Bool
    ) {
        self.words = words
        self.schema = schema
        self.accepts = accepts
    }

    public static let uuid = TextFormat("a UUID", schema: JSONObject([("format", "uuid")])) {
        UUID($0) != nil
    }

    public static let time = TextFormat(
        "a time of RFC 3339", schema: JSONObject([("format", "date-time")])
    ) {
        Timestamp(rfc3339: $0) != nil
    }

    /// Something before one `@` and something with a dot behind it; the mail server knows the rest.
    public static let email = TextFormat(
        "an e-mail address",
        schema: JSONObject([("pattern", "^[^@\\s]+@[^@\\s.]+(\\.[^@\\s.]+)+$")])
    ) { text in
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty,
            text.unicodeScalars.allSatisfy({ !$0.properties.isWhitespace && $0.value >= 0x20 })
        else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
    }

    /// Three capital letters of ISO 4217.
    public static let currency = TextFormat(
        "a currency code of ISO 4217", schema: JSONObject([("pattern", "^[A-Z]{3}$")])
    ) { text in
        Money.isCurrency(text)
    }

    /// A decimal that is not negative, as a string.
    public static let amount = TextFormat(
        "an amount such as 100.00",
        schema: JSONObject([("pattern", "^(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$")])
    ) { text in
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count <= 2, (1...15).contains(whole.utf8.count),
            whole == "0" || !whole.hasPrefix("0"),
            parts.dropFirst().allSatisfy({ (1...4).contains($0.utf8.count) })
        else { return false }
        return parts.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } }
    }
}
