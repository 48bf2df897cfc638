import HTTP2
import Runtime
import TestKit
import Testing

@Suite("Whom a client believes")
struct TrustTests {
    private func words(
        _ server: HTTP2Server, host: String = "localhost"
    ) async throws -> String {
        let client = try makeClient(server.port, host: host)
        let end = await client.sendInTime(HTTP2Request(path: "/"), .milliseconds(500))
        guard case .failure(.connect(let words)) = end else { return "\(end)" }
        return words
    }

    private let handler: HTTP2Server.Handler = { _, responder in
        responder.respond(HTTP2Response(status: 200))
    }

    @Test("a name that the certificate does not carry is refused")
    func wrongName() async throws {
        let server = try makeServer(handler: handler)
        #expect(
            try await words(server, host: "push.example.com")
                == "certificate refused: hostname mismatch")
    }

    @Test("an address that the certificate carries is believed, another is not")
    func addresses() async throws {
        let server = try makeServer(handler: handler)
        let client = try makeClient(server.port, host: "127.0.0.1")
        let end = await client.send(HTTP2Request(path: "/"), deadline: .after(.seconds(10)))
        #expect(try end.get().status == 200)
        #expect(
            try await words(server, host: "127.0.0.2")
                == "certificate refused: IP address mismatch")
    }

    @Test("a certificate of an unknown authority is refused")
    func stranger() async throws {
        let server = try makeServer(
            identity: Authority.identity(by: Authority.stranger.get()), handler: handler)
        #expect(
            try await words(server).hasPrefix("certificate refused: unable to get local issuer"))
    }

    @Test("a peer that does not offer HTTP/2 by ALPN is refused")
    func noALPN() async throws {
        let server = try makeServer({ $0.offersHTTP2 = false }, handler: handler)
        #expect(try await words(server) == "the peer does not offer HTTP/2 by ALPN")
    }

    @Test("nobody at the port fails the waiting requests at their deadlines, saying why")
    func nobodyThere() async throws {
        let port = try RefusingPort()
        let client = try makeClient(port.number)
        let end = await client.sendInTime(HTTP2Request(path: "/"), .milliseconds(300))
        #expect(end == .failure(.connect("cannot connect: Connection refused")))
    }

    @Test("an authority file that is not there is said")
    func missingFile() async throws {
        let server = try makeServer(handler: handler)
        let client = try makeClient(server.port) { $0.trust = .file("/nowhere/ca.pem") }
        let end = await client.sendInTime(HTTP2Request(path: "/"), .milliseconds(300))
        guard case .failure(.connect(let words)) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(words.hasPrefix("cannot read certificates from /nowhere/ca.pem"))
    }
}
