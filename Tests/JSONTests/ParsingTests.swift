import JSON
import Testing

@Suite("Strict reading of JSON")
struct ParsingTests {
    static let accepted: [(String, JSONValue)] = [
        ("null", .null), (" true ", .bool(true)), ("-7", .integer(-7)), ("1.5", .real(1.5)),
        ("9223372036854775807", .integer(.max)), ("1e2", .real(100)), ("\"\"", .text("")),
        ("[]", .array([])), ("{}", .object(JSONObject())),
        (#""\u00e9\ud83d\uded2\/""#, .text("é🛒/")),
        (#"{"b":1,"a":[null,{"c":"x"}]}"#, ["b": 1, "a": [nil, ["c": "x"]]]),
    ]

    @Test("any top level is read as it stands, members in their order", arguments: accepted)
    func reads(text: String, value: JSONValue) throws {
        #expect(try JSONValue.parse(Array(text.utf8)) == value)
    }

    static let refused: [(String, JSONFault.Code)] = [
        ("", .invalid), (" ", .invalid), ("\u{FEFF}{}", .invalid), ("[1,]", .invalid),
        (#"{"a":1,}"#, .invalid), ("1e400", .invalid), ("99999999999999999999", .invalid),
        ("{} {}", .invalid), ("1 2", .invalid), (#""a\u0000b""#, .invalid),
        (#"{"a\u0000":1}"#, .invalid), (#""\ud800""#, .invalid), (#""\udc00\ud800""#, .invalid),
        (#"{"a":1,"a":2}"#, .duplicateKey), (#"[{"x":{"k":1,"\u006b":1}}]"#, .duplicateKey),
        ("nul", .invalid), ("'a'", .invalid), ("{a:1}", .invalid), ("[1", .invalid),
        ("\"a", .invalid), ("01", .invalid), ("+1", .invalid), (".5", .invalid), ("NaN", .invalid),
        ("// c\n1", .invalid), ("\"a\nb\"", .invalid), (#""\x""#, .invalid), ("]", .invalid),
    ]

    @Test("what strict readers differ on is refused with its code", arguments: refused)
    func refuses(text: String, code: JSONFault.Code) {
        #expect { try JSONValue.parse(Array(text.utf8)) } throws: {
            ($0 as? JSONFault)?.code == code
        }
    }

    static let badBytes: [[UInt8]] = [
        [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
        [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22], [0x22, 0x00, 0x22], [0x00],
        [0x31, 0x00], [0xFE, 0xFF, 0x00, 0x31],
    ]

    @Test("bytes that are not UTF-8 or hold a NUL are refused", arguments: badBytes)
    func refusesBytes(bytes: [UInt8]) {
        #expect(throws: JSONFault.self) { try JSONValue.parse(bytes) }
    }

    @Test(
        "sixty-four levels are read and one more is refused where it opens",
        arguments: ["[", "{\"a\":"])
    func depth(opening: String) throws {
        let closing = opening == "[" ? "]" : "}"
        func nested(_ levels: Int) -> [UInt8] {
            Array(
                (String(repeating: opening, count: levels) + "1"
                    + String(repeating: closing, count: levels)).utf8)
        }
        _ = try JSONValue.parse(nested(64))
        #expect { try JSONValue.parse(nested(65)) } throws: {
            ($0 as? JSONFault)?.offset == 64 * opening.utf8.count
        }
        #expect(throws: JSONFault.self) { try JSONValue.parse(nested(500_000)) }
    }

    @Test("brackets within strings are no nesting")
    func bracketsInStrings() throws {
        let text = "\\\"" + String(repeating: "[{", count: 100)
        let value = try JSONValue.parse(Array("\"\(text)\"".utf8))
        #expect(value.text == "\"" + String(repeating: "[{", count: 100))
    }

    @Test("a fault repeats nothing of the input")
    func quiet() {
        #expect { try JSONValue.parse(Array(#"{"secret" "hush"}"#.utf8)) } throws: {
            let words = "\($0)"
            return !words.contains("secret") && !words.contains("hush") && words.contains("byte")
        }
    }

    @Test("absent and null are two things")
    func absentOrNull() throws {
        let value = try JSONValue.parse(Array(#"{"a":null}"#.utf8))
        #expect(value["a"] == .null)
        #expect(value["b"] == nil)
    }
}
