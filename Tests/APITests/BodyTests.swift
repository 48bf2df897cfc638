import Alerts
import JSON
import TestKit
import Testing

@testable import API

@Suite("Bodies")
struct BodyTests {
    private static let path = "/v1/stores/\(TestAPI.north)/toy"

    static let refused: [(String, String)] = [
        ("", "invalid_json"), ("{", "invalid_json"), ("{} {}", "invalid_json"),
        (#"{"name":"a",}"#, "invalid_json"), (#"{"name":"a\u0000b"}"#, "invalid_json"),
        (#"{"name":"\ud800"}"#, "invalid_json"), ("\u{FEFF}{}", "invalid_json"),
        (#"{"name":1e400}"#, "invalid_json"), (#"{"name":NaN}"#, "invalid_json"),
        (#"{"name":"a"}/**/"#, "invalid_json"), (#"{'name':"a"}"#, "invalid_json"),
        (String(repeating: "[", count: 65), "invalid_json"),
        (#"{"name":"a","name":"b"}"#, "duplicate_key"),
        (#"{"name":"a","x":{"y":1,"y":2}}"#, "duplicate_key"),
    ]

    @Test("what is not strict JSON is 400, and the next request works")
    func strict() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            for (body, code) in Self.refused {
                let reply = try await api.send("PATCH", Self.path, as: .owner, body: body)
                #expect(reply.status == 400, "\(body)")
                #expect(reply.code == code, "\(body)")
            }
            let good = try await api.send(
                "PATCH", Self.path, as: .owner, body: #"{"name":"é","unknown":[1]}"#)
            #expect(good.text == #"{"name":"é"}"#)
        }
    }

    @Test("only JSON in UTF-8 is read")
    func mediaTypes() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            for (type, status) in [
                ("application/json", 200), ("Application/JSON; charset=UTF-8", 200),
                ("application/merge-patch+json", 200), ("text/plain", 415), ("text/json", 415),
                ("application/json; charset=utf-16", 415), ("", 415),
                ("application/x-www-form-urlencoded", 415),
            ] {
                let reply = try await api.send(
                    "PATCH", Self.path, as: .owner, headers: ["Content-Type: \(type)"],
                    body: #"{"name":"a"}"#)
                #expect(reply.status == status, "\(type)")
                #expect(reply.code == (status == 415 ? "unsupported_media_type" : nil))
            }
        }
    }

    @Test("a body that was compressed on its way is refused, and says so")
    func contentCoding() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            for (coding, status) in [
                ("gzip", 415), ("GZIP", 415), ("identity, br", 415), ("identity", 200), ("", 200),
            ] {
                let reply = try await api.send(
                    "PATCH", Self.path, as: .owner, headers: ["Content-Encoding: \(coding)"],
                    body: #"{"name":"a"}"#)
                #expect(reply.status == status, "\(coding)")
                #expect(reply.headers["accept-encoding"] == (status == 415 ? "identity" : nil))
                guard status == 415 else { continue }
                #expect(reply.code == "unsupported_media_type")
                #expect(
                    try reply.json["detail"]
                        == "Send the body as it is, without `Content-Encoding`.")
            }
            // Bytes that gzip made are no JSON; what is wrong with them is how they were sent.
            let login = try await api.send(
                "POST", "/v1/auth/login", headers: ["Content-Encoding: gzip"], body: "\u{1F}x")
            #expect(login.code == "unsupported_media_type")
        }
    }

    @Test("every fault of a body is told at once, in the order of the declaration")
    func allFaults() async throws {
        let body = """
            {"id":1,"level":9,"kind":"c","mail":"no","tags":["a",1,"abcd"]}
            """
        try await TestAPI.run(Toys.endpoints) { api in
            let reply = try await api.send("PATCH", Self.path, as: .owner, body: body)
            #expect(reply.status == 422)
            #expect(reply.code == "validation_failed")
            #expect(
                try reply.faults == [
                    "/name required", "/level range", "/kind unknown_value", "/mail format",
                    "/tags length", "/id not_allowed",
                ])
            let types = try await api.send(
                "PATCH", Self.path, as: .owner,
                body: #"{"name":null,"level":1.5,"kind":2,"mail":[],"tags":["a",1]}"#)
            #expect(
                try types.faults == [
                    "/name type", "/level type", "/kind type", "/mail type", "/tags/1 type",
                ])
            let whole = try await api.send("PATCH", Self.path, as: .owner, body: "[]")
            #expect(try whole.faults == [" type"])
        }
    }

    @Test("a body over 1 MiB is a problem like all others, whole or in chunks")
    func tooLarge() async throws {
        try await TestAPI.run(Toys.endpoints, cors: ["https://app.example.com"]) { api in
            let socket = try RawSocket(port: api.port)
            let head =
                "POST /v1/toy/open HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                + "Origin: https://app.example.com\r\n"
            await socket.send("\(head)Content-Length: 1048577\r\n\r\n")
            let reply = try #require(await socket.replies().first)
            #expect(reply.status == 413)
            #expect(reply.code == "body_too_large")
            #expect(try reply.json["detail"] == "At most 1048576 bytes are read.")
            #expect(reply.headers["x-content-type-options"] == "nosniff")
            #expect(
                reply.headers["access-control-allow-origin"] == "https://app.example.com")
            let chunked = try RawSocket(port: api.port)
            await chunked.send("\(head)Transfer-Encoding: chunked\r\n\r\n100001\r\n")
            await chunked.send([UInt8](repeating: 0x20, count: 0x100001))
            #expect(await chunked.replies().first?.code == "body_too_large")
        }
    }

    @Test("a body that may be left out may be")
    func optional() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            for (body, status) in [(nil, 200), ("{}", 200), (#"{"name":"long"}"#, 422)] {
                let reply = try await api.send("POST", "/v1/toy/open", body: body)
                #expect(reply.status == status)
            }
        }
    }
}

@Suite("Shapes")
struct ShapeTests {
    @Test("pointers are escaped, and maps check keys and values")
    func maps() throws {
        let shape = Shape.map(
            keys: TextRule(length: 1...5, format: .currency), values: .text(.amount), count: 0...9)
        let value: JSONValue = ["BRL": "100.00", "a/~": "x", "USD": 1]
        let faults = shape.faults(in: value, at: "/m").map { "\($0.pointer) \($0.code)" }
        #expect(faults == ["/m/a~1~0 format", "/m/a~1~0 format", "/m/USD type"])
    }

    @Test(
        "amounts are decimals without sign, blanks or leading zeros",
        arguments: [
            ("0", true), ("0.00", true), ("100.00", true), ("123456789012345.1234", true),
            ("", false), ("-1", false), ("+1", false), ("01", false), (".5", false), ("1.", false),
            ("1e3", false), (" 1", false), ("1,00", false), ("1.12345", false), ("1.2.3", false),
            ("1234567890123456", false),
        ])
    func amounts(_ text: String, _ isGood: Bool) {
        #expect(TextFormat.amount.accepts(text) == isGood)
    }

    @Test("lengths count code points")
    func lengths() {
        let shape = Shape.text(1...3)
        #expect(shape.faults(in: "éßd").isEmpty)
        #expect(shape.faults(in: "👩‍👩‍👧").map(\.code) == [.length])
        #expect(shape.faults(in: "").map(\.code) == [.length])
    }

    @Test(
        "a name that shows nothing is as one that is empty",
        arguments: [
            ("Ana", true), (" Ana\u{7}", true), ("ا", true), ("👩‍👩‍👧", true), ("0", true),
            ("", false), (" ", false), ("\t\n\r", false), ("\u{A0}\u{2003}\u{3000}", false),
            ("\u{7}\u{1B}\u{85}", false), ("\u{200B}\u{200D}\u{2060}\u{FEFF}", false),
            ("\u{202E}\u{2066}", false), ("\u{2800}\u{3164}", false),
        ])
    func visible(_ text: String, _ isGood: Bool) {
        let faults = GivenText.personName.shape.faults(in: .text(text), at: "/name")
        #expect(faults.map { "\($0.pointer) \($0.code)" } == (isGood ? [] : ["/name length"]))
    }

    @Test(
        "e-mail addresses have one @ and a dot behind it",
        arguments: [
            ("a@b.c", true), ("ana.b+c@x.example.com", true), ("a", false), ("a@b", false),
            ("@b.c", false), ("a@b..c", false), ("a@@b.c", false), ("a b@c.d", false),
            ("a@b.c\n", false),
        ])
    func emails(_ text: String, _ isGood: Bool) {
        #expect(TextFormat.email.accepts(text) == isGood)
    }
}
