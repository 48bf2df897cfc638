import HTTP2
import Runtime
import Testing

@Suite("Floods and windows")
struct FloodTests {
    /// Frames without end.
    struct Flood: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var stream: UInt8 = 0
        /// The type of the first frame, and of those that follow.
        var first: UInt8
        var next: UInt8
        var payload: [UInt8] = []

        var frames: [UInt8] {
            let start = RawPeer.frame(first, flags: 0, stream: stream, payload)
            let one = RawPeer.frame(next, flags: 0, stream: stream, payload)
            return start + repeatElement(one, count: 200).joined()
        }
    }

    /// HPACK: a literal field without indexing, `x: ` and 15,000 letters.
    private static let bigField: [UInt8] =
        [0x00, 0x01, UInt8(ascii: "x"), 0x7F, 0x99, 0x74]
        + Array(repeating: UInt8(ascii: "a"), count: 15_000)

    @Test(
        "endless frames end with the request, long before its deadline",
        arguments: [
            Flood(testDescription: "CONTINUATION without a field", stream: 1, first: 1, next: 9),
            Flood(
                testDescription: "CONTINUATION with fields", stream: 1, first: 1, next: 9,
                payload: bigField),
            Flood(
                testDescription: "PING", first: 6, next: 6,
                payload: [UInt8](repeating: 1, count: 8)),
            Flood(testDescription: "SETTINGS", first: 4, next: 4),
        ])
    func flood(_ flood: Flood) async throws {
        let peer = try RawPeer(sending: flood.frames)
        let client = try makeClient(peer.port)
        // The peer begins when it has seen 150 bytes.
        let request = HTTP2Request(path: "/", body: Array(repeating: 1, count: 200))
        let end = await client.send(request, deadline: .after(.seconds(120)))
        // The client left, or it refused the answer first: with fields, whichever limit is met
        // first.
        switch end {
        case .failure(.unknown(.connectionLost(let words))): #expect(words != "closed by the peer")
        case .failure(.unknown(.responseTooLarge)): #expect(flood.payload == Self.bigField)
        default: Issue.record("\(end)")
        }
        client.close()
    }

    @Test("a peer that never sends its SETTINGS costs no more than the time for connecting")
    func noSettings() async throws {
        let peer = try RawPeer(sending: nil)
        let client = try makeClient(peer.port) {
            $0.connectTimeout = .milliseconds(200)
            $0.pingAfterIdle = .milliseconds(20)
        }
        let end = await client.sendInTime(HTTP2Request(path: "/"), .seconds(2))
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
