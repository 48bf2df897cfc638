import HTTPServer
import Runtime
import TestKit
import Testing

/// A generator whose seed is in the test, so that a failure comes again.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    /// splitmix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

@Suite("Generated framing")
struct GeneratedFramingTests {
    /// Targets that mean `/first`, in origin and in absolute form.
    static let targets = ["/first", "/first", "http://x/first", "HTTPS://other:8443/first?"]
    static let badTargets = ["ftp://x/first", "http:///first", "http:/first", "http://", "x/first"]

    /// A head whose target and lines about the body are drawn at random, then a body.
    static func request(_ random: inout Seeded) -> (text: String, hasGoodTarget: Bool) {
        let lengths = [
            "Content-Length: 0", "Content-Length: 40", "Content-Length: +4", "Content-Length:4",
            "content-length: 4", "Content-Length: 4 ", "Content-Length: 0x4", "Content-Length:\t4",
            "Content-Length: 4, 4", "Content-Length: 04", "Content-Length : 4", "Content-Length: ",
        ]
        let codings = [
            "Transfer-Encoding: chunked", "transfer-encoding: CHUNKED", "Transfer-Encoding: x",
            "Transfer-Encoding:\r\n chunked", "Transfer-Encoding : chunked",
            "Transfer-Encoding: chunked, identity", "Transfer-Encoding: \tchunked",
        ]
        let others = ["Host: x", "X-A: 1", "X-A: 1\r\n\t2", "Connection: keep-alive", "Expect: x"]
        let ends = ["\r\n", "\r\n", "\r\n", "\r\n", "\n"]
        let bodies = [
            "", "0\r\n\r\n", "4\r\nabcd\r\n0\r\n\r\n", "4;x\r\nabcd\r\n0\r\n\r\n", "abcd",
        ]
        var lines = ["Host: x"]
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let pool = [lengths, codings, others].randomElement(using: &random) ?? others
            lines.append(pool.randomElement(using: &random) ?? "X-A: 1")
        }
        lines.shuffle(using: &random)
        let method = ["GET", "POST", "PUT", "DELETE"].randomElement(using: &random) ?? "GET"
        let isGood = Int.random(in: 0..<8, using: &random) > 0
        let target = (isGood ? targets : badTargets).randomElement(using: &random) ?? "/first"
        var text = "\(method) \(target) HTTP/1.1\r\n"
        for line in lines { text += line + (ends.randomElement(using: &random) ?? "\r\n") }
        text += "\r\n" + (bodies.randomElement(using: &random) ?? "")
        return (text, isGood)
    }

    @Test("2,400 random heads: whatever is doubtful ends the connection", arguments: 0..<8)
    func doubtful(_ seed: Int) async throws {
        let seen = Lock<[String: Int]>([:])
        try await withServer(
            { $0.bodyDeadline = .milliseconds(200) },
            handler: { request in
                seen.withLock { $0[request.path, default: 0] += 1 }
                return await echo(request)
            }
        ) { port, _ in
            var random = Seeded(state: UInt64(seed) &* 7919 &+ 1)
            for number in 0..<300 {
                let (text, hasGoodTarget) = Self.request(&random)
                // What follows is a request of its own only if the first one ended before it.
                let before = seen.withLock { $0["/first"] ?? 0 }
                let socket = try RawSocket(port: port)
                await socket.send(text)
                socket.finish()
                let bytes = try #require(await socket.readToEnd(), "\(seed)/\(number): \(text)")
                let replies = RawReply.all(in: bytes).filter { $0.status != 100 }
                #expect(replies.count <= 1, "\(seed)/\(number): \(text)")
                #expect(
                    replies.allSatisfy { [200, 400].contains($0.status) },
                    "\(seed)/\(number): \(text)")
                let count = seen.withLock { $0["/first"] ?? 0 } - before
                #expect(count <= (hasGoodTarget ? 1 : 0), "\(seed)/\(number): \(text)")
            }
            let socket = try RawSocket(port: port)
            await socket.send("GET /after HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await socket.replies().map(\.status) == [200])
        }
        #expect(seen.withLock { Set($0.keys) }.isSubset(of: ["/first", "/after"]))
    }
}
