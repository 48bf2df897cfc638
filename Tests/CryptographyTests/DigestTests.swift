import Cryptography
import Testing
import Values

@Suite("Digests, checksums and random bytes")
struct DigestTests {
    @Test("SHA-256 gives the vectors of FIPS 180-4")
    func sha256() {
        #expect(
            Hex.encode(SHA256.hash("abc"))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            Hex.encode(SHA256.hash([]))
                == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test("HMAC-SHA-256 gives the vectors of RFC 4231, and takes empty keys and data")
    func hmac() {
        let vector = HMAC.sha256(
            key: Array("Jefe".utf8), data: Array("what do ya want for nothing?".utf8))
        #expect(
            Hex.encode(vector)
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            Hex.encode(HMAC.sha256(key: [], data: []))
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test("CRC-32 gives its check value")
    func crc32() {
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum([]) == 0)
    }

    @Test("base 62 counts as numbers do, and pads")
    func base62() {
        #expect(Base62.encode([0], width: 3) == "000")
        #expect(Base62.encode([61], width: 1) == "z")
        #expect(Base62.encode([62], width: 1) == "10")
        #expect(Base62.encode([1, 0], width: 4) == "0048")
        #expect(Base62.encode([UInt8](repeating: 255, count: 32), width: 43).count == 43)
    }

    @Test("equal bytes are equal, and nothing else is")
    func constantTime() {
        #expect(constantTimeEqual([], []))
        #expect(constantTimeEqual([1, 2], [1, 2]))
        #expect(!constantTimeEqual([1, 2], [1, 3]))
        #expect(!constantTimeEqual([1, 2], [1, 2, 3]))
    }

    @Test("random bytes come in the count asked for, and never twice")
    func random() {
        #expect(SecureRandom.bytes(0).isEmpty)
        #expect(Set((0..<1000).map { _ in SecureRandom.bytes(16) }).count == 1000)
    }
}

@Suite("Token format")
struct TokenFormatTests {
    @Test("a token has its prefix, 43 digits and a checksum of 6, and checks")
    func shape() {
        let token = TokenFormat.storeAPI.make(from: [UInt8](repeating: 0, count: 32)).reveal()
        #expect(token == "sk_0000000000000000000000000000000000000000000_\(token.suffix(6))")
        #expect(token.utf8.count == 53)
        for _ in 0..<100 {
            #expect(TokenFormat.storeAPI.check(TokenFormat.storeAPI.make().reveal()))
        }
    }

    @Test("any single changed character is found")
    func everyChange() {
        let token = Array(TokenFormat.storeAPI.make().reveal().utf8)
        for index in token.indices {
            var changed = token
            changed[index] =
                changed[index] == UInt8(ascii: "x") ? UInt8(ascii: "y") : UInt8(ascii: "x")
            #expect(!TokenFormat.storeAPI.check(String(decoding: changed, as: UTF8.self)))
        }
    }

    @Test("foreign texts are no tokens", arguments: ["", "sk_", "sk__", "pk_1", "é"])
    func foreign(text: String) {
        #expect(!TokenFormat.storeAPI.check(text))
    }
}
