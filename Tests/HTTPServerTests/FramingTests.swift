import HTTPServer
import Runtime
import TestKit
import Testing

/// A request that is no request, with the word that names it in the test's output.
struct Malformed: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: String

    init(_ name: String, _ bytes: String) {
        testDescription = name
        self.bytes = bytes
    }
}

/// What would be executed if two parsers disagreed about the end of the first request.
private let hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"

private func post(_ headers: String, _ body: String) -> String {
    "POST /first HTTP/1.1\r\nHost: x\r\n\(headers)\r\n\(body)"
}

@Suite("Framing")
struct FramingTests {
    /// Case G35 and its kind.
    static let refused: [Malformed] = [
        Malformed(
            "length and chunked",
            post("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n\(hidden)")),
        Malformed(
            "chunked and length",
            post("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", "0\r\n\r\n\(hidden)")),
        Malformed(
            "two lengths", post("Content-Length: 4\r\nContent-Length: 9\r\n", "abcd\(hidden)")),
        Malformed("one length twice", post("Content-Length: 4\r\nContent-Length: 4\r\n", "abcd")),
        Malformed("a list of lengths", post("Content-Length: 4, 4\r\n", "abcd\(hidden)")),
        Malformed("a length with a sign", post("Content-Length: +5\r\n", "abcde\(hidden)")),
        Malformed("a negative length", post("Content-Length: -1\r\n", hidden)),
        Malformed("a hexadecimal length", post("Content-Length: 0x10\r\n", "abcd\(hidden)")),
        Malformed("an empty length", post("Content-Length: \r\n", hidden)),
        Malformed(
            "an unknown coding", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n\(hidden)")),
        Malformed(
            "a coding before chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n")),
        Malformed(
            "two codings",
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")),
        Malformed("identity", post("Transfer-Encoding: identity\r\n", hidden)),
        Malformed("a space before the colon", post("Content-Length : 4\r\n", "abcd\(hidden)")),
        Malformed("a tab in a name", post("X\tY: 1\r\n", "")),
        Malformed("a name of other letters", post("Contént-Length: 4\r\n", "")),
        Malformed("a control in a value", post("X-A: a\u{1}b\r\n", "")),
        Malformed("no Host", "GET / HTTP/1.1\r\n\r\n"),
        Malformed("two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        Malformed("a Host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
        Malformed("a list of Hosts", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"),
        Malformed("a target without slash", "GET abc HTTP/1.1\r\nHost: x\r\n\r\n"),
        Malformed("a target of other letters", "GET /é HTTP/1.1\r\nHost: x\r\n\r\n"),
        Malformed("a foreign scheme", "GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n"),
        Malformed("authority form", "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
        Malformed("a folded length", post("Content-Length: 3\r\n 4\r\n", hidden)),
        Malformed("a folded name", post("Content-Length\r\n : 34\r\n", hidden)),
        Malformed(
            "a folded coding", post("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n\(hidden)")),
        Malformed("a folded Host", "GET / HTTP/1.1\r\nHost: x\r\n y\r\n\r\n"),
        Malformed("a fold before any field", "GET / HTTP/1.1\r\n Host: x\r\nHost: x\r\n\r\n"),
        Malformed("a line without a colon", "GET / HTTP/1.1\r\nHost: x\r\nabc\r\n\r\n"),
        Malformed("a method with a colon", "G:T / HTTP/1.1\r\nHost: x\r\n\r\n"),
    ]

    @Test("a malformed head gets one 400 and the end", arguments: refused)
    func refusal(_ malformed: Malformed) async throws {
        let seen = Lock<[String]>([])
        try await withServer(handler: { request in
            seen.withLock { $0.append(request.path) }
            return await echo(request)
        }) { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send(malformed.bytes)
            let bytes = try #require(await socket.readToEnd(), "the connection stays open")
            let replies = RawReply.all(in: bytes)
            #expect(replies.map(\.status) == [400])
            #expect(replies.first?.headers["connection"] == "close")
        }
        #expect(seen.withLock { $0 } == [])
    }

    @Test(
        "an unknown version is 505 and the end",
        arguments: ["HTTP/2.0", "HTTP/3.0", "HTTP/0.9"])
    func version(_ version: String) async throws {
        try await withServer { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send("GET / \(version)\r\nHost: x\r\n\r\n")
            let bytes = try #require(await socket.readToEnd())
            #expect(RawReply.all(in: bytes).map(\.status) == [505])
        }
    }

    @Test("a length that no counter holds is 413 and the end")
    func endless() async throws {
        try await withServer { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send(post("Content-Length: 99999999999999999999\r\n", hidden))
            let bytes = try #require(await socket.readToEnd())
            #expect(RawReply.all(in: bytes).map(\.status) == [413])
        }
    }

    /// What may be taken or refused, but never gives two requests.
    static let lenient: [Malformed] = [
        Malformed(
            "a folded header",
            "POST /first HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n 2\r\nContent-Length: 0\r\n\r\n"),
        Malformed("bare line feeds", "GET /first HTTP/1.1\nHost: x\n\n"),
        Malformed(
            "a length behind a bare line feed",
            "POST /first HTTP/1.1\r\nHost: x\r\nX-A: 1\nContent-Length: 53\r\n\r\n"
                + hidden + String(repeating: "x", count: 53 - hidden.utf8.count)),
        Malformed(
            "a length behind a bare carriage return",
            "POST /first HTTP/1.1\r\nHost: x\r\nX-A: 1\rContent-Length: 53\r\n\r\n"),
        Malformed(
            "chunks with extensions",
            post("Transfer-Encoding: chunked\r\n", "3;a=b;c=\"d\"\r\nabc\r\n0;e\r\n\r\n")),
        Malformed(
            "a chunk size with a sign",
            post("Transfer-Encoding: chunked\r\n", "+3\r\nabc\r\n0\r\n\r\n")),
        Malformed(
            "a chunk size with 0x",
            post("Transfer-Encoding: chunked\r\n", "0x3\r\nabc\r\n0\r\n\r\n")),
        Malformed(
            "a chunk size beyond 64 bits",
            post("Transfer-Encoding: chunked\r\n", "FFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n")),
        Malformed(
            "a chunk that is longer than its size",
            post("Transfer-Encoding: chunked\r\n", "3\r\nabcdef\r\n0\r\n\r\n")),
        Malformed(
            "chunks with bare line feeds",
            post("Transfer-Encoding: chunked\r\n", "3\nabc\n0\n\n")),
        Malformed(
            "trailers that look like a length",
            post("Transfer-Encoding: chunked\r\n", "0\r\nContent-Length: 30\r\n\r\n")),
        Malformed("a NUL in a value", "GET /first HTTP/1.1\r\nHost: x\r\nX-A: a\u{0}b\r\n\r\n"),
        Malformed("a NUL in the target", "GET /first\u{0}b HTTP/1.1\r\nHost: x\r\n\r\n"),
        Malformed(
            "a length cut by a NUL",
            "POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 3\u{0}3\r\n\r\nabc"),
        Malformed("absolute form", "GET http://other/first HTTP/1.1\r\nHost: x\r\n\r\n"),
        Malformed("two spaces", "GET  /first  HTTP/1.1\r\nHost: x\r\n\r\n"),
        Malformed(
            "a body with GET", "GET /first HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"),
        Malformed(
            "version 1.0 with chunks",
            "POST /first HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        Malformed("an empty line first", "\r\n\r\nGET /first HTTP/1.1\r\nHost: x\r\n\r\n"),
    ]

    @Test("one request, however odd, never becomes two", arguments: lenient)
    func neverTwo(_ odd: Malformed) async throws {
        let seen = Lock<[String]>([])
        try await withServer(
            { $0.bodyDeadline = .milliseconds(300) },
            handler: { request in
                seen.withLock { $0.append(request.path) }
                return await echo(request)
            }
        ) { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send(odd.bytes)
            socket.finish()
            let bytes = try #require(await socket.readToEnd())
            let replies = RawReply.all(in: bytes)
            #expect(replies.count <= 1)
            #expect(replies.allSatisfy { [200, 400, 413].contains($0.status) })
        }
        let paths = seen.withLock { $0 }
        #expect(paths.isEmpty || paths == ["/first"])
    }

    @Test("requests sent at once are answered one by one and in order")
    func pipelining() async throws {
        try await withServer { port, _ in
            let socket = try RawSocket(port: port)
            let bytes = (0..<20).map { number in
                number % 2 == 0
                    ? "GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n"
                    : "POST /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"
            }
            await socket.send(bytes.joined())
            let texts = await socket.replies(20).map(\.text)
            #expect(
                texts == (0..<20).map { $0 % 2 == 0 ? "GET /\($0)||" : "POST /\($0)||ab" })
        }
    }

    @Test("a body in chunks comes whole, in whatever pieces it travels")
    func chunks() async throws {
        try await withServer { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send(
                "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r")
            await socket.send("\nabc\r\n2\r\nd")
            await socket.send("e\r\n0\r\n\r\n")
            #expect(await socket.replies().map(\.text) == ["POST /c||abcde"])
        }
    }

    @Test("absolute form and the asterisk are understood")
    func targets() async throws {
        try await withServer { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send("GET HTTP://other:80/a?b HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await socket.replies().map(\.text) == ["GET /a|b|"])
            await socket.send("GET http://other HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await socket.replies().map(\.text) == ["GET /||"])
            await socket.send("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await socket.replies().map(\.text) == ["OPTIONS *||"])
        }
    }

    @Test("HEAD has the headers of GET and no body, 204 no length")
    func bodiless() async throws {
        try await withServer(handler: { request in
            request.path == "/none" ? HTTPResponse(status: 204) : .text(200, "twelve bytes")
        }) { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
            await socket.send("GET /none HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let bytes = try #require(await socket.readToEnd())
            let replies = RawReply.all(in: bytes, withoutBodies: true)
            #expect(replies.map(\.status) == [200, 204])
            #expect(replies.first?.headers["content-length"] == "12")
            #expect(replies.last?.headers["content-length"] == nil)
        }
    }

    @Test("no value can begin a header of its own")
    func splitting() async throws {
        try await withServer(handler: { _ in
            HTTPResponse(status: 200, headers: ["X-A": "1\r\nX-B: 2"])
        }) { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let reply = await socket.replies().first
            #expect(reply?.headers["x-a"] == "1  X-B: 2")
            #expect(reply?.headers["x-b"] == nil)
        }
    }
}
