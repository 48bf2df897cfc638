import HTTPServer
import Runtime
import TestKit
import Testing

/// A request as it is sent, and what must be understood.
private struct Generated {
    let bytes: String
    /// The text of the echo; nil when it is refused, which ends the connection.
    let reading: String?

    /// One that every parser understands alike. Its body may look like a request.
    static func good(_ number: Int, isLast: Bool, _ random: inout Seeded) -> Generated {
        let (target, path, query) = target(number, &random)
        var lines = ["Host: x"]
        lines += ["X-A: 1", "x-b: \t2 ", "Accept: */*"].filter { _ in Bool.random(using: &random) }
        if isLast { lines.append("Connection: close") }
        let hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"
        let body = ["", "abcd", hidden, hidden + hidden].randomElement(using: &random) ?? ""
        var (method, content) = ("POST", body)
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
            method = ["GET", "DELETE"].randomElement(using: &random) ?? "GET"
            content = ""
        case 1: lines.append("Content-Length: \(body.utf8.count)")
        default:
            method = "PUT"
            lines.append("Transfer-Encoding: chunked")
            content = chunked(body, &random)
        }
        let understood = method == "GET" || method == "DELETE" ? "" : body
        lines.shuffle(using: &random)
        return Generated(
            bytes: "\(method) \(target) HTTP/1.1\r\n" + lines.map { "\($0)\r\n" }.joined() + "\r\n"
                + content,
            reading: "\(method) \(path)|\(query)|\(understood)")
    }

    /// One that is refused, perhaps with what another parser takes for a request behind it.
    static func bad(_ random: inout Seeded) -> Generated {
        let malformed = FramingTests.refused.randomElement(using: &random)
        return Generated(bytes: malformed?.bytes ?? "", reading: nil)
    }

    /// Origin form or absolute form, whose scheme and authority count for nothing.
    private static func target(
        _ number: Int, _ random: inout Seeded
    ) -> (target: String, path: String, query: String) {
        let query = ["", "a=1", "u=http://y/z?b"].randomElement(using: &random) ?? ""
        let prefixes = ["", "", "http://other", "HTTP://x:80", "https://[::1]:8443"]
        let prefix = prefixes.randomElement(using: &random) ?? ""
        let isBare = !prefix.isEmpty && Bool.random(using: &random)
        let path = isBare ? "" : "/\(number)/a%20b"
        let target = prefix + path + (query.isEmpty ? "" : "?\(query)")
        return (target, path.isEmpty ? "/" : path, query)
    }

    private static func chunked(_ body: String, _ random: inout Seeded) -> String {
        var rest = Array(body.utf8)[...]
        var text = ""
        while !rest.isEmpty {
            let chunk = rest.prefix(Int.random(in: 1...40, using: &random))
            rest = rest.dropFirst(chunk.count)
            text += String(chunk.count, radix: 16) + "\r\n"
            text += String(decoding: chunk, as: UTF8.self) + "\r\n"
        }
        return text + "0\r\n\r\n"
    }

    /// Up to five requests; one of them may be bad, and those behind it are never read.
    static func pipeline(_ random: inout Seeded) -> [Generated] {
        let count = Int.random(in: 1...5, using: &random)
        let isBadAt = Bool.random(using: &random) ? Int.random(in: 0..<count, using: &random) : nil
        return (0..<count).map { number in
            number == isBadAt
                ? bad(&random) : good(number, isLast: number == count - 1, &random)
        }
    }
}

@Suite("Generated pipelines")
struct GeneratedPipelineTests {
    @Test(
        "800 random pipelines: each request is read as it was meant, in order, up to a bad one",
        arguments: 0..<8)
    func readings(_ seed: Int) async throws {
        let seen = Lock<[String]>([])
        try await withServer(handler: { request in
            seen.withLock { $0.append("\(request.method) \(request.path)") }
            return await echo(request)
        }) { port, _ in
            var random = Seeded(state: UInt64(seed) &* 104_729 &+ 5)
            for number in 0..<100 {
                let requests = Generated.pipeline(&random)
                let text = requests.map(\.bytes).joined()
                let understood = Array(
                    requests.map(\.reading).prefix { $0 != nil }.compactMap(\.self))
                let isWhole = understood.count == requests.count
                seen.withLock { $0 = [] }
                let socket = try RawSocket(port: port)
                // What is sent to an end that has closed already may take its last answers away.
                let cut = isWhole ? Int.random(in: 0...text.utf8.count, using: &random) : 0
                await socket.send(Array(text.utf8.prefix(cut)))
                await socket.send(Array(text.utf8.dropFirst(cut)))
                let bytes = try #require(await socket.readToEnd(), "\(seed)/\(number): \(text)")
                let replies = RawReply.all(in: bytes)
                #expect(
                    replies.map(\.status)
                        == understood.map { _ in 200 } + (isWhole ? [] : [400]),
                    "\(seed)/\(number): \(text)")
                #expect(
                    replies.prefix(understood.count).map(\.text) == understood,
                    "\(seed)/\(number): \(text)")
                let paths = understood.map { String($0.prefix { $0 != "|" }) }
                #expect(seen.withLock { $0 } == paths, "\(seed)/\(number): \(text)")
            }
        }
    }
}
