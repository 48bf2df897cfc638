import Testing
import Values

@Suite("UUIDs") struct UUIDTests {
    @Test("are read in either case and printed lower case")
    func roundTrip() throws {
        let id = try #require(UUID("0199A0C4-7B1E-7abc-8def-0123456789AB"))
        #expect(id.description == "0199a0c4-7b1e-7abc-8def-0123456789ab")
        #expect(UUID(bytes: id.bytes) == id)
    }

    @Test(
        "refuse every other form",
        arguments: [
            "", "not-a-uuid", "0199a0c4-7b1e-7abc-8def-0123456789a",
            "0199a0c4-7b1e-7abc-8def-0123456789abc", "0199a0c47b1e7abc8def0123456789ab",
            "0199a0c4-7b1e-7abc-8def-0123456789ag", "{199a0c4-7b1e-7abc-8def-0123456789a}",
        ])
    func refused(text: String) {
        #expect(UUID(text) == nil)
    }

    @Test("of version 7 sort by their time and carry version and variant")
    func ordering() {
        var random = SystemRandomNumberGenerator()
        let early = UUID.v7(at: Timestamp(seconds: 1_000), using: &random)
        let late = UUID.v7(at: Timestamp(seconds: 1_001), using: &random)
        #expect(early < late)
        #expect(early.high & 0xF000 == 0x7000)
        #expect(early.low >> 62 == 0b10)
    }
}

@Suite("Times") struct TimestampTests {
    @Test("are printed at both ends of what they can hold, and rounded down before 1970")
    func ends() {
        #expect(Timestamp(microseconds: .min).description == "-290308-12-21T19:59:05.224192Z")
        #expect(Timestamp(microseconds: .max).description == "294247-01-10T04:00:54.775807Z")
        #expect(Timestamp(microseconds: -1).description == "1969-12-31T23:59:59.999999Z")
        #expect(Timestamp(microseconds: -1).seconds == -1)
        #expect(Timestamp(microseconds: -1_000_000).seconds == -1)
    }

    @Test(
        "are read with any offset and printed in UTC",
        arguments: [
            ("2026-11-30T12:00:00Z", "2026-11-30T12:00:00Z"),
            ("2026-11-30T09:00:00.5-03:00", "2026-11-30T12:00:00.500Z"),
            ("2024-02-29t23:59:60z", "2024-03-01T00:00:00Z"),
            ("1969-12-31 23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"),
            ("2026-01-01T00:00:00.1234567Z", "2026-01-01T00:00:00.123456Z"),
        ])
    func reads(text: String, printed: String) {
        #expect(Timestamp(rfc3339: text)?.description == printed)
    }

    @Test(
        "that do not exist are refused",
        arguments: [
            "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z",
            "2026-01-01T00:00:00", "2026-01-01", "2026-01-01T00:00:00+0300",
            "2026-01-01T00:00:00.Z", "0000-01-01T00:00:00Z", "2026-01-01T00:00:00Zx", "",
        ])
    func refuses(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }
}

@Suite("Text encodings") struct EncodingTests {
    @Test(
        "base64url has one spelling a value", arguments: ["", "f", "fo", "foo", "foob", "\u{0}ÿ"])
    func base64(text: String) {
        let encoded = Base64URL.encode(text.utf8)
        #expect(Base64URL.decode(encoded) == Array(text.utf8))
    }

    @Test(
        "base64url refuses what it would not write", arguments: ["A", "Zg==", "Zh", "Z+", "Zg Zg"])
    func base64Refused(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("hex is written lower case and read in either")
    func hex() {
        #expect(Hex.encode([0, 0xAB, 0xFF]) == "00abff")
        #expect(Hex.decode("00ABff") == [0, 0xAB, 0xFF])
        #expect(Hex.decode("0") == nil)
        #expect(Hex.decode("0g") == nil)
    }

    @Test("a secret prints as redacted in every way there is to print it")
    func secret() {
        let secret = Secret("s3cr3t")
        #expect("\(secret)\(String(reflecting: secret))" == "<redacted><redacted>")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("s3cr3t"))
        #expect(secret.reveal() == "s3cr3t")
    }
}

@Suite("Checksums") struct ChecksumTests {
    @Test(
        "are FNV-1a as published, which `apns-collapse-id` and migrations keep",
        arguments: [
            ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] as [(String, UInt64)])
    func published(text: String, value: UInt64) {
        #expect(Checksum(unmarked: text.utf8).value == value)
    }

    @Test("of texts tell where one ends and the next begins")
    func ends() {
        var early = Checksum(endMarked: "a")
        early.add("bc")
        var late = Checksum(endMarked: "ab")
        late.add("c")
        #expect(early.value != late.value)
    }
}
