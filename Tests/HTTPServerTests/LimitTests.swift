import HTTPServer
import Runtime
import TestKit
import Testing

@Suite("Limits")
struct LimitTests {
    @Test("headers of 16 KiB pass, more are 431 and the end", arguments: [1, 40])
    func headers(_ lines: Int) async throws {
        try await withServer { port, _ in
            // "Host: x" and its line end count nine bytes, each other line its name and four more.
            let size = (16384 - 9) / lines - 8
            for (extra, status) in [(0, 200), (400, 431)] {
                let value = String(repeating: "v", count: size + extra)
                let block = (0..<lines).map { "X-\($0 + 10): \(value)\r\n" }.joined()
                let socket = try RawSocket(port: port)
                await socket.send("GET / HTTP/1.1\r\nHost: x\r\n\(block)\r\n")
                let reply = await socket.replies().first
                #expect(reply?.status == status)
                #expect(reply?.headers["connection"] == (status == 431 ? "close" : nil))
            }
        }
    }

    @Test("a head that never fits is 431 before it is whole")
    func flood() async throws {
        try await withServer { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send("GET / HTTP/1.1\r\nHost: x\r\nX: ")
            await socket.send(String(repeating: "v", count: 200_000))
            #expect(await socket.replies().first?.status == 431)
        }
    }

    @Test("a target of 8 KiB passes, a longer one is 414 and the end")
    func target() async throws {
        try await withServer { port, _ in
            for (length, status) in [(8192, 200), (8193, 414), (100_000, 414)] {
                let path = "/" + String(repeating: "a", count: length - 1)
                let socket = try RawSocket(port: port)
                await socket.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(await socket.replies().first?.status == status)
            }
        }
    }

    @Test("a query of any number of arguments is answered at once", arguments: ["a&", "&", "a=b&"])
    func query(_ argument: String) async throws {
        try await withServer { port, _ in
            let query = String(repeating: argument, count: 8000 / argument.utf8.count)
            let socket = try RawSocket(port: port)
            await socket.send("GET /?\(query) HTTP/1.1\r\nHost: x\r\n\r\n")
            await socket.send("GET /two?a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let replies = await socket.replies(2)
            #expect(replies.map(\.status) == [200, 200])
            #expect(replies.first?.text.contains(query) == true)
        }
    }

    @Test("a body at its limit passes; one byte more is 413, however it is sent")
    func body() async throws {
        try await withServer({ $0.bodyLimit = 1000 }) { port, _ in
            for (length, status) in [(1000, 200), (1001, 413)] {
                let body = String(repeating: "b", count: length)
                let socket = try RawSocket(port: port)
                await socket.send(
                    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\r\n\(body)")
                #expect(await socket.replies().first?.status == status)
                let chunked = try RawSocket(port: port)
                let size = String(length, radix: 16)
                await chunked.send(
                    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "\(size)\r\n\(body)\r\n0\r\n\r\n")
                #expect(await chunked.replies().first?.status == status)
            }
        }
    }

    @Test("a body that is too long is answered at once, and the client may finish sending it")
    func early() async throws {
        let handled = Lock(0)
        try await withServer(
            { $0.bodyLimit = 1000 },
            handler: { request in
                handled.withLock { $0 += 1 }
                return await echo(request)
            }
        ) { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\nabc")
            #expect(await socket.replies().first?.status == 413)
            #expect(await socket.send(String(repeating: "b", count: 4997)))
            #expect(await socket.readToEnd() == [])
        }
        #expect(handled.withLock { $0 } == 0)
    }

    @Test("an endless chunked body is cut off")
    func endless() async throws {
        try await withServer({ $0.bodyLimit = 1000 }) { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "2710\r\n" + String(repeating: "b", count: 10000) + "\r\n"
            var sent = 0
            while sent < 10000, await socket.send(chunk) { sent += 1 }
            #expect(sent < 10000)
        }
    }

    @Test("the verdict on a head may answer it, and sets the body's limit")
    func verdict() async throws {
        try await withServer(head: { head in
            head.path == "/no" ? .refuse(.text(403, "no")) : .read(bodyLimit: 2)
        }) { port, _ in
            let refused = try RawSocket(port: port)
            await refused.send("POST /no HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\n")
            #expect(await refused.replies().map(\.text) == ["no"])
            let long = try RawSocket(port: port)
            await long.send("POST /yes HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
            #expect(await long.replies().map(\.status) == [413])
        }
    }

    @Test("who asks first is told to go on, or why not")
    func expect() async throws {
        try await withServer({ $0.bodyLimit = 1000 }) { port, _ in
            let socket = try RawSocket(port: port)
            let head = "POST /e HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
            await socket.send("\(head)Content-Length: 2\r\n\r\n")
            #expect(await socket.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            await socket.send("ab")
            #expect(await socket.replies().map(\.text) == ["POST /e||ab"])
            await socket.send("\(head)Content-Length: 2000\r\n\r\n")
            let bytes = try #require(await socket.readToEnd())
            #expect(RawReply.all(in: bytes).map(\.status) == [413])
        }
    }
}
