import Cryptography
import JSON
import Testing
import Values

@Suite("JSON Web Tokens")
struct JWTTests {
    static let claims = JSONObject([("iss", "TEAM123456"), ("iat", 1_790_000_000)])

    @Test("ES256 signatures are 64 raw bytes, every time, and verify")
    func es256() throws {
        let key = try SigningKey.generateP256()
        // One in 128 has a leading zero in r or s, which must stay.
        for _ in 0..<600 {
            let token = try JWT.sign(claims: Self.claims, key: .es256(key)).reveal()
            let signature = try #require(token.split(separator: ".").last)
            #expect(Base64URL.decode(signature)?.count == 64)
            let jwt = try JWT.verify(token, with: .es256(key.verifyingKey))
            #expect(jwt.claims == Self.claims)
        }
    }

    @Test("header and claims stand in the order given, alg first")
    func spelling() throws {
        let header = JSONObject([("kid", "KEY1234567"), ("typ", "JWT")])
        let token = try JWT.sign(
            header: header, claims: Self.claims, key: .hs256(Secret(Array("secret".utf8))))
        let parts = token.reveal().split(separator: ".").map {
            String(decoding: Base64URL.decode($0) ?? [], as: UTF8.self)
        }
        #expect(parts[0] == #"{"alg":"HS256","kid":"KEY1234567","typ":"JWT"}"#)
        #expect(parts[1] == #"{"iss":"TEAM123456","iat":1790000000}"#)
    }

    @Test("RS256 and HS256 verify with their key and with no other")
    func otherAlgorithms() throws {
        let secret = Secret(Array("secret".utf8))
        let rs = try JWT.sign(claims: Self.claims, key: .rs256(TestKeys.rsa)).reveal()
        let hs = try JWT.sign(claims: Self.claims, key: .hs256(secret)).reveal()
        #expect(
            try JWT.verify(rs, with: .rs256(TestKeys.rsa.verifyingKey)).claims == Self.claims)
        #expect(try JWT.verify(hs, with: .hs256(secret)).claims == Self.claims)
        #expect(throws: JWTFault.wrongSignature) {
            try JWT.verify(hs, with: .hs256(Secret([1])))
        }
        #expect(throws: JWTFault.wrongAlgorithm) { try JWT.verify(rs, with: .hs256(secret)) }
    }

    @Test("a changed claim, a cut signature, another key do not verify")
    func tampered() throws {
        let key = try SigningKey.generateP256()
        let token = try JWT.sign(claims: Self.claims, key: .es256(key)).reveal()
        let other = try SigningKey.generateP256().verifyingKey
        let parts = token.split(separator: ".").map(String.init)
        let claims = Base64URL.encode(Array(#"{"iss":"OTHER"}"#.utf8))
        #expect(throws: JWTFault.wrongSignature) {
            try JWT.verify("\(parts[0]).\(claims).\(parts[2])", with: .es256(key.verifyingKey))
        }
        #expect(throws: JWTFault.wrongSignature) {
            try JWT.verify("\(parts[0]).\(parts[1]).AAAA", with: .es256(key.verifyingKey))
        }
        #expect(throws: JWTFault.wrongSignature) { try JWT.verify(token, with: .es256(other)) }
    }

    @Test(
        "what is no token is malformed",
        arguments: ["", "a", "a.b", "a.b.c", "....", "e30.W10.e30"])
    func malformed(text: String) throws {
        #expect(throws: JWTFault.malformed) {
            try JWT.verify(text, with: .hs256(Secret([1])))
        }
    }

    @Test("alg none and a public key used as an HMAC's secret are refused")
    func confusedAlgorithms() throws {
        let key = try SigningKey.generateP256().verifyingKey
        let none = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
        #expect(throws: JWTFault.wrongAlgorithm) {
            try JWT.verify("\(none).e30.", with: .es256(key))
        }
        let forged = try JWT.sign(
            claims: Self.claims, key: .hs256(Secret(Array(try key.pem().utf8))))
        #expect(throws: JWTFault.wrongAlgorithm) {
            try JWT.verify(forged.reveal(), with: .es256(key))
        }
    }

    @Test("an RSA key cannot sign ES256")
    func kindIsChecked() {
        #expect(throws: CryptographyFault.self) {
            try JWT.sign(claims: Self.claims, key: .es256(TestKeys.rsa))
        }
    }
}
