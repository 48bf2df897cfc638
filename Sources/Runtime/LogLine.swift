import Values

/// How a record is spelled.
enum LogLine {
    static func json(
        at time: Timestamp, level: Log.Level, message: String, fields: [(String, LogValue)]
    ) -> String {
        var line = "{\"at\":\"\(time)\",\"level\":\"\(level.name)\",\"message\":\(quoted(message))"
        for (key, value) in fields {
            line += ",\(quoted(key)):"
            switch value {
            case .text(let text): line += quoted(text)
            case .integer(let number): line += String(number)
            case .real(let number): line += number.isFinite ? String(number) : "null"
            case .flag(let flag): line += String(flag)
            }
        }
        return line + "}"
    }

    static func text(
        at time: Timestamp, level: Log.Level, message: String, fields: [(String, LogValue)]
    ) -> String {
        var line = "\(time) \(level.name.uppercased()) \(escaped(message))"
        for (key, value) in fields {
            switch value {
            case .text(let text):
                line += " \(key)=\(text.contains(" ") ? quoted(text) : escaped(text))"
            case .integer(let number): line += " \(key)=\(number)"
            case .real(let number): line += " \(key)=\(number)"
            case .flag(let flag): line += " \(key)=\(flag)"
            }
        }
        return line
    }

    private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// JSON's escapes; they also keep a hostile value from starting a line of its own.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
