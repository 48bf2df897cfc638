import JSON
import Testing

@Suite("Writing JSON")
struct WritingTests {
    @Test("keys stand in call order, without white space, commas by themselves")
    func pinned() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("z", "a/b é 🛒 \u{2028}")
        writer.key("list")
        writer.beginArray()
        writer.integer(-1)
        writer.beginObject()
        writer.endObject()
        writer.beginArray()
        writer.endArray()
        writer.bool(false)
        writer.null()
        writer.string(":")
        writer.string("[")
        writer.raw(Array("{}".utf8))
        writer.endArray()
        writer.member("n", 7)
        writer.member("gone", ifPresent: nil)
        writer.endObject()
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == "{\"z\":\"a/b é 🛒 \u{2028}\",\"list\":[-1,{},[],false,null,\":\",\"[\",{}],\"n\":7}"
        )
    }

    static let escapes: [(String, String)] = [
        ("\"\\", #"\"\\"#), ("\n\r\t\u{8}\u{C}", #"\n\r\t\b\f"#),
        ("\u{0}\u{1}\u{1A}\u{1F}", #"\u0000\u0001\u001a\u001f"#), ("\u{7F}", "\u{7F}"),
        ("a\"b\"c", #"a\"b\"c"#),
    ]

    @Test("only what must be escaped is, and the length is known beforehand", arguments: escapes)
    func escaping(text: String, escaped: String) {
        #expect(String(decoding: JSONValue.text(text).encoded, as: UTF8.self) == "\"\(escaped)\"")
        #expect(JSONText.encodedLength(text) == escaped.utf8.count)
    }

    static let documents = [
        #"{"b":1,"a":[null,true,-3,1.5,"x\"\\\n"],"c":{"d":{}}}"#, "[]", "\"\"", "0", "1e+300",
        "-0.5", "[[[]]]",
    ]

    @Test("what was written reads back equal", arguments: documents)
    func roundTrip(text: String) throws {
        let value = try JSONValue.parse(Array(text.utf8))
        #expect(String(decoding: value.encoded, as: UTF8.self) == text)
        #expect(try JSONValue.parse(value.encoded) == value)
    }

    @Test("members are set in place, appended and removed")
    func setting() {
        var object = JSONObject([("a", 1), ("b", 2)])
        object["a"] = 3
        object["c"] = nil
        object["d"] = .null
        object["b"] = nil
        #expect(object == JSONObject([("a", 3), ("d", nil)]))
    }

    @Test("a number that JSON lacks becomes null")
    func notFinite() {
        #expect(JSONValue.real(.infinity).encoded == Array("null".utf8))
    }
}
