import Cryptography
import Foundation
import Testing
import Values

@Suite("Certificate authority")
struct CertificateAuthorityTests {
    @Test("a server certificate verifies against its authority for each of its names, and no other")
    func verifies() throws {
        let authority = try CertificateAuthority()
        let server = try authority.issue(names: ["localhost", "127.0.0.1", "::1"])
        let folder = FileManager.default.temporaryDirectory.appending(
            path: Foundation.UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (ca, leaf) = (folder.appending(path: "ca.pem"), folder.appending(path: "leaf.pem"))
        try authority.certificatePEM.write(to: ca, atomically: true, encoding: .utf8)
        try server.certificatePEM.write(to: leaf, atomically: true, encoding: .utf8)
        func verify(_ option: String, _ name: String) throws -> Int32 {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
            process.arguments = [
                "verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", ca.path, option, name,
                leaf.path,
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
