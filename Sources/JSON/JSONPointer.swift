/// JSON pointers (RFC 6901).
public enum JSONPointer {
    /// One step to a member, with its `/`.
    public static func step(_ key: String) -> String {
        guard key.utf8.contains(where: { $0 == 0x7E || $0 == 0x2F }) else { return "/\(key)" }
        return key.reduce(into: "/") { text, character in
            switch character {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.append(character)
            }
        }
    }
}
