import HTTPServer
import Runtime
import TestKit
import Testing

@Suite("Streams")
struct StreamTests {
    @Test("events arrive as they are written, and the end is the body's end")
    func events() async throws {
        let gate = Gate()
        try await withServer(handler: { _ in
            .events { stream in
                try? await stream.write("data: 1\n\n")
                await gate.wait()
                try? await stream.write("data: 2\n\n")
            }
        }) { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let first = await socket.read(until: "data: 1\n\n")
            #expect(first.contains("data: 1\n\n"))
            await gate.open()
            let second = await socket.read(until: "0\r\n\r\n")
            let reply = try #require(RawReply.all(in: Array((first + second).utf8)).first)
            #expect(reply.text == "data: 1\n\ndata: 2\n\n")
            #expect(reply.headers["content-type"] == "text/event-stream")
            #expect(reply.headers["x-accel-buffering"] == "no")
            await socket.send("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let bytes = try #require(await socket.readToEnd())
            #expect(RawReply.all(in: bytes, withoutBodies: true).map(\.status) == [200])
        }
    }

    @Test("a writer whose client leaves is told, though it has nothing to write")
    func leaving() async throws {
        let told = Gate()
        try await withServer(handler: { _ in
            .events { stream in
                try? await stream.write("data: 1\n\n")
                while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
                #expect(!stream.isOpen)
                await #expect(throws: HTTPClientGone.self) { try await stream.write("data: 2\n\n") }
                await told.open()
            }
        }) { port, _ in
            do {
                let socket = try RawSocket(port: port)
                await socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(await socket.read(until: "data: 1").contains("data: 1"))
            }
            await told.wait()
        }
    }

    @Test("a writer waits for a client that does not read, and goes on when it does")
    func backpressure() async throws {
        let written = Lock(0)
        let piece = [UInt8](repeating: 0x61, count: 64 << 10)
        let total = 512
        try await withServer(
            { $0.streamBuffer = 128 << 10 },
            handler: { _ in
                HTTPResponse(
                    status: 200,
                    body: .stream { stream in
                        for _ in 0..<total {
                            do { try await stream.write(piece) } catch { return }
                            written.withLock { $0 += 1 }
                        }
                    })
            }
        ) { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            // The socket buffers of both sides hold some megabytes; the rest has to wait.
            #expect(await socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
            #expect(written.withLock { $0 } < total)
            let bytes = try #require(await socket.readToEnd(within: .seconds(30)))
            #expect(written.withLock { $0 } == total)
            #expect(bytes.count > total * piece.count - (1 << 20))
        }
    }

    @Test("a client that leaves while its handler works harms nobody")
    func leavingHandler() async throws {
        let gate = Gate()
        let entered = Gate()
        try await withServer(handler: { request in
            if request.path == "/slow" {
                await entered.open()
                await gate.wait()
            }
            return await echo(request)
        }) { port, _ in
            do {
                let socket = try RawSocket(port: port)
                await socket.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
                await entered.wait()
            }
            await gate.open()
            let socket = try RawSocket(port: port)
            await socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await socket.replies().map(\.status) == [200])
        }
    }
}
