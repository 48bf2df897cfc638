import Cryptography
import Testing
import Values

@Suite("Signing keys")
struct SigningKeyTests {
    @Test("a P-256 key loads in every form a .p8 comes in", arguments: PEMForms.all)
    func ecForms(form: String) throws {
        let key = try SigningKey.generateP256()
        let text = PEMForms.write(try key.pem().reveal(), as: form)
        let loaded = try SigningKey.ec(pem: text)
        #expect(try loaded.verifyingKey.pem() == key.verifyingKey.pem())
    }

    @Test("an RSA key loads in every form a service account's comes in", arguments: PEMForms.all)
    func rsaForms(form: String) throws {
        let text = PEMForms.write(TestKeys.rsaPEM, as: form)
        #expect(try SigningKey.rsa(pem: text).kind == .rsa)
    }

    @Test("a key of the other kind is refused and named")
    func wrongKind() throws {
        let ec = try SigningKey.generateP256().pem().reveal()
        #expect(throws: KeyFault.wrongKind(wanted: .p256, found: .rsa)) {
            try SigningKey.ec(pem: TestKeys.rsaPEM)
        }
        #expect(throws: KeyFault.wrongKind(wanted: .rsa, found: .p256)) {
            try SigningKey.rsa(pem: ec)
        }
        #expect(throws: KeyFault.wrongKind(wanted: .p256, found: .otherCurve)) {
            try SigningKey.ec(pem: TestKeys.p384PEM)
        }
    }

    @Test(
        "what is no private key is refused with its reason",
        arguments: [
            ("", KeyFault.noKey),
            ("not a key", .noKey),
            ("MIGTAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkwdwIBAQQg", .noKey),
            ("-----BEGIN PRIVATE KEY-----", .cutOff),
            ("-----BEGIN PRIVATE KEY-----\nMIGTAgEAMBMG", .cutOff),
            ("-----BEGIN PRIVATE KEY-----\nMIGT\n-----END RSA PRIVATE KEY-----", .cutOff),
            ("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----", .damaged),
            ("-----BEGIN PRIVATE KEY-----\nMI…T\n-----END PRIVATE KEY-----", .damaged),
            ("-----BEGIN PRIVATE KEY-----\nMI\\GT\n-----END PRIVATE KEY-----", .damaged),
            ("-----BEGIN PRIVATE KEY-----\nMIGT\n-----END PRIVATE KEY-----", .unreadable),
            ("-----BEGIN PUBLIC KEY-----\nMIGT\n-----END PUBLIC KEY-----", .publicKey),
            ("-----BEGIN CERTIFICATE-----\nMIGT\n-----END CERTIFICATE-----", .certificate),
            (
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGT\n-----END ENCRYPTED PRIVATE KEY-----",
                .encrypted
            ),
            (
                """
                -----BEGIN EC PRIVATE KEY-----
                Proc-Type: 4,ENCRYPTED
                DEK-Info: AES-256-CBC,00

                MIGT
                -----END EC PRIVATE KEY-----
                """, .encrypted
            ),
        ])
    func refused(text: String, fault: KeyFault) {
        #expect(throws: fault) { try SigningKey.ec(pem: text) }
    }

    @Test("an RSA key of 1024 bits is too short")
    func tooShort() throws {
        let pem = try SigningKey.generateRSA(bits: 1024).pem().reveal()
        #expect(throws: KeyFault.tooShort(bits: 1024)) { try SigningKey.rsa(pem: pem) }
    }

    @Test("a key prints as its kind, never as its material")
    func isNotPrinted() throws {
        let key = try SigningKey.generateP256()
        #expect("\(key)" == "private key (p256)")
        #expect("\(try key.pem())" == "<redacted>")
        var dumped = ""
        dump(key, to: &dumped)
        #expect(!dumped.contains("BEGIN"))
    }
}
