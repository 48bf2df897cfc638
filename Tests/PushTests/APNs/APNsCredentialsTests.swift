import Cryptography
import JSON
import Push
import Runtime
import Testing
import Values

@Suite("Credentials of APNs")
struct APNsCredentialsTests {
    private func read(_ pem: String) throws(EnvironmentFault) -> APNsCredentials {
        try APNsCredentials(
            pem: Secret(pem), variable: "APNS_KEY_P8", keyID: "KEY1234567", teamID: "TEAM123456",
            bundleID: "com.example")
    }

    @Test("a key with its line breaks spelled out signs as the key itself")
    func oneLine() throws {
        let key = try SigningKey.generateP256()
        let pem = try key.pem().reveal()
        let line = pem.split(separator: "\n").joined(separator: "\\n")
        let token = try JWT.sign(claims: JSONObject(), key: .es256(try read(line).key))
        #expect(throws: Never.self) {
            try JWT.verify(token.reveal(), with: .es256(key.verifyingKey))
        }
    }

    @Test("a fault names the variable and what is wrong, and nothing of the text")
    func fault() throws {
        let rsa = try SigningKey.generateRSA().pem().reveal()
        let cases = [
            ("secret", "is not a private key in PEM form: it has no BEGIN PRIVATE KEY line"),
            (rsa, "is an RSA key: an elliptic-curve key on P-256 is wanted"),
            (String(rsa.prefix(300)), "is cut off: it has no END PRIVATE KEY line"),
        ]
        for (text, problem) in cases {
            #expect(
                throws: EnvironmentFault(
                    variable: "APNS_KEY_P8", problem: "\(problem), APNs is off")
            ) { try read(text) }
        }
    }

    @Test("they print without the key")
    func prints() throws {
        let credentials = try read(try SigningKey.generateP256().pem().reveal())
        #expect("\(credentials)" == "APNs key KEY1234567 of team TEAM123456 for com.example")
    }
}
