import Values

/// A push token as it is stored and sent, whatever a client's debug output made of it.
enum DeviceToken {
    /// How many bytes a client may send.
    static let longest = 4096

    /// iOS: hexadecimal digits, of even number, for 8 to 200 bytes, in any case; white space around
    /// it and the brackets of old debug output go, and it is kept lower case.
    static func apns(_ text: String) -> String? {
        let digits = text.unicodeScalars.filter { scalar in
            !scalar.properties.isWhitespace && scalar != "<" && scalar != ">"
        }
        let token = String(String.UnicodeScalarView(digits)).lowercased()
        guard let bytes = Hex.decode(token), (8...200).contains(bytes.count) else { return nil }
        // White space belongs around the token, or between its groups within brackets.
        let inner = text.split(whereSeparator: { $0.isWhitespace || $0 == "<" || $0 == ">" })
        guard inner.count == 1 || text.contains("<") else { return nil }
        return token
    }

    /// Android: printable ASCII without white space, case kept.
    static func fcm(_ text: String) -> String? {
        guard (1...longest).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return text
    }
}
