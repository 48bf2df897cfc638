import Cryptography

/// One key in the forms that people paste.
enum PEMForms {
    static let all: [String] = [
        "as it is", "no final newline", "spelled-out line breaks", "doubly escaped line breaks",
        "CRLF", "CR", "one line with spaces", "one line with nothing", "in double quotes",
        "in single quotes", "in quotes with spelled-out line breaks", "white space around",
        "indented lines", "a comment before it",
    ]

    static func write(_ pem: String, as form: String) -> String {
        let lines = pem.split(separator: "\n").map(String.init)
        let body = lines.dropFirst().dropLast()
        let (first, last) = (lines.first ?? "", lines.last ?? "")
        switch form {
        case "no final newline": return lines.joined(separator: "\n")
        case "spelled-out line breaks": return lines.joined(separator: "\\n")
        case "doubly escaped line breaks": return lines.joined(separator: "\\\\n")
        case "CRLF": return lines.joined(separator: "\r\n") + "\r\n"
        case "CR": return lines.joined(separator: "\r")
        case "one line with spaces": return lines.joined(separator: " ")
        case "one line with nothing": return first + body.joined() + last
        case "in double quotes": return "\"\(pem)\""
        case "in single quotes": return "'\(pem)'"
        case "in quotes with spelled-out line breaks":
            return "\"\(lines.joined(separator: "\\n"))\\n\""
        case "white space around": return " \t\r\n\(pem)\n\n  "
        case "indented lines": return lines.map { "    \($0)" }.joined(separator: "\n")
        case "a comment before it": return "Key for com.example\n\(pem)"
        default: return pem
        }
    }
}
