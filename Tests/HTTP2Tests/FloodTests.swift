import HTTP2
import Runtime
import Testing

@Suite("Floods and windows")
struct FloodTests {
    /// HPACK: a literal field without indexing, `x: ` and 15,000 letters.
    private static let bigField: [UInt8] =
        [0x00, 0x01, UInt8(ascii: "x"), 0x7F, 0x99, 0x74]
        + Array(repeating: UInt8(ascii: "a"), count: 15_000)

    @Test(
        "endless frames end with the request, long before its deadline",
        arguments: [
            // CONTINUATION without end, and without a field.
            (1, [1], [9], []), (1, [1], [9], bigField),
            // PING and SETTINGS that all want an answer.
            (0, [6], [6], [UInt8](repeating: 1, count: 8)), (0, [4], [4], []),
        ] as [(UInt8, [UInt8], [UInt8], [UInt8])])
    func flood(stream: UInt8, first: [UInt8], next: [UInt8], payload: [UInt8]) async throws {
        var frames = RawPeer.frame(first[0], flags: 0, stream: stream, payload)
        for _ in 0..<200 {
            frames += RawPeer.frame(next[0], flags: 0, stream: stream, payload)
        }
        let peer = try RawPeer(sending: frames)
        let client = try makeClient(peer.port)
        // The peer begins when it has seen 150 bytes.
        let request = HTTP2Request(path: "/", body: Array(repeating: 1, count: 200))
        let end = await client.send(request, deadline: .after(.seconds(30)))
        guard case .failure(.unknown(.connectionLost(let words))) = end else {
            Issue.record("\(end)")
            return
        }
        // It was the client that left.
        #expect(words != "closed by the peer")
        client.close()
    }

    @Test("a peer that never sends its SETTINGS costs no more than the time for connecting")
    func noSettings() async throws {
        let peer = try RawPeer(sending: nil)
        let client = try makeClient(peer.port) {
            $0.connectTimeout = .milliseconds(200)
            $0.pingAfterIdle = .milliseconds(20)
        }
        let end = await client.send(HTTP2Request(path: "/"), deadline: .after(.seconds(2)))
        guard case .failure(.connect(let words)) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(words.hasPrefix("no connection within"))
        client.close()
    }

    @Test("bodies beyond the windows flow both ways beside small ones")
    func windows() async throws {
        let server = try makeServer { request, responder in
            responder.respond(
                HTTP2Response(status: 200, body: Array(repeating: 1, count: request.body.count)))
        }
        let client = try makeClient(server.port)
        // Far over the initial windows, both ways.
        let big = HTTP2Request(path: "/", body: Array(repeating: 1, count: 900_000))
        async let first = client.send(big, deadline: .after(.seconds(30)))
        async let second = client.send(big, deadline: .after(.seconds(30)))
        let small = await client.send(HTTP2Request(path: "/"), deadline: .after(.seconds(30)))
        #expect(try small.get().status == 200)
        #expect(try await first.get().body.count == 900_000)
        #expect(try await second.get().body.count == 900_000)
    }
}
