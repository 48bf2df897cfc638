import Cryptography
import Foundation
import TestKit
import Testing
import Values

@Suite("Certificate authority")
struct CertificateAuthorityTests {
    @Test("a server certificate verifies against its authority for each of its names, and no other")
    func verifies() throws {
        let authority = try CertificateAuthority()
        let server = try authority.issue(names: ["localhost", "127.0.0.1", "::1"])
        let folder = try TemporaryFolder("certificates")
        defer { folder.remove() }
        let ca = try folder.write(authority.certificatePEM, as: "ca.pem")
        let leaf = try folder.write(server.certificatePEM, as: "leaf.pem")
        func verify(_ option: String, _ name: String) throws -> Int32 {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
            process.arguments = [
                "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", ca, option, name,
                leaf,
            ]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }
        #expect(try verify("-verify_hostname", "localhost") == 0)
        #expect(try verify("-verify_ip", "127.0.0.1") == 0)
        #expect(try verify("-verify_ip", "::1") == 0)
        #expect(try verify("-verify_hostname", "example.com") != 0)
    }

    @Test("the key of a server certificate is a private key on P-256")
    func key() throws {
        let server = try CertificateAuthority().issue(names: ["localhost"])
        #expect(try SigningKey.ec(pem: server.keyPEM.reveal()).kind == .p256)
    }
}
