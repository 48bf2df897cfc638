import Cryptography
import Foundation
import Glibc
import Runtime
import TestKit
import Testing
import Values
import WebClient

@Suite("Web client over TLS")
struct TLSTests {
    @Test("a server is trusted by the authority given, under its own name, and not otherwise")
    func trust() async throws {
        let server = try TLSServer(names: ["127.0.0.1"])
        let trusting = WebClient(caPath: server.caPath)
        let ask = { (client: WebClient, host: String) async throws -> Int in
            let url = try WebURL("https://\(host):\(server.port)/")
            let request = WebRequest(method: "GET", url: url)
            return try await client.send(request, deadline: .after(.seconds(20))).status
        }
        #expect(try await ask(trusting, "127.0.0.1") == 200)
        await #expect(throws: WebFailure.self) { try await ask(trusting, "localhost") }
        let error = await #expect(throws: WebFailure.self) {
            try await ask(WebClient(), "127.0.0.1")
        }
        guard case .tls = error else {
            Issue.record("not a failure of trust: \(String(describing: error))")
            return
        }
    }

    @Test("a file of authorities that is none is a failure of trust")
    func badFile() async throws {
        let server = try TLSServer(names: ["127.0.0.1"])
        let url = try WebURL("https://127.0.0.1:\(server.port)/")
        await #expect(throws: WebFailure.self) {
            try await WebClient(caPath: "/nonexistent").send(
                WebRequest(method: "GET", url: url), deadline: .after(.seconds(20)))
        }
    }
}

/// The library's own test server in a process of its own.
private final class TLSServer {
    let port: Int
    let caPath: String
    private let process = Process()
    private let folder: TemporaryFolder

    init(names: [String]) throws {
        folder = try TemporaryFolder("tls")
        let authority = try CertificateAuthority()
        let identity = try authority.issue(names: names)
        caPath = try folder.write(authority.certificatePEM, as: "ca.pem")
        let both = try folder.write(
            identity.certificatePEM + identity.keyPEM.reveal(), as: "server.pem")
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = ["s_server", "-accept", "127.0.0.1:0", "-cert", both, "-www"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        var said = ""
        while !said.hasSuffix("\n") || !said.contains("ACCEPT") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else { break }
            said += String(decoding: data, as: UTF8.self)
        }
        let line = said.split(whereSeparator: \.isNewline).first { $0.hasPrefix("ACCEPT") }
        port = try #require(line?.split(separator: ":").last.flatMap { Int($0) })
    }

    deinit {
        // The child inherits blocked signals from the thread that started it: only KILL reaches it.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
