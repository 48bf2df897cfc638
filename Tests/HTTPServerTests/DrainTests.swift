import HTTPServer
import Runtime
import TestKit
import Testing

@Suite("Draining")
struct DrainTests {
    @Test("a request in flight is answered, idle clients are let go, new ones are refused")
    func inFlight() async throws {
        let gate = Gate()
        let entered = Gate()
        try await withServer(
            { $0.drain = .seconds(10) },
            handler: { request in
                if request.path == "/slow" {
                    await entered.open()
                    await gate.wait()
                }
                return await echo(request)
            }
        ) { port, server in
            let idle = try RawSocket(port: port)
            await idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await idle.replies().count == 1)
            let unused = try RawSocket(port: port)
            let busy = try RawSocket(port: port)
            await busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
            await entered.wait()
            async let stopped: Void = server.stop()
            #expect(await idle.readToEnd(within: .seconds(5)) == [])
            #expect(await unused.readToEnd(within: .seconds(5)) == [])
            #expect(throws: RawSocket.Failure.self) { try RawSocket(port: port) }
            await gate.open()
            let bytes = try #require(await busy.readToEnd(within: .seconds(5)))
            let reply = try #require(RawReply.all(in: bytes).first)
            #expect(reply.text == "GET /slow||")
            #expect(reply.headers["connection"] == "close")
            await stopped
        }
    }

    @Test("what does not end in time is cancelled and cut off")
    func deadline() async throws {
        let entered = Gate()
        try await withServer(
            { $0.drain = .milliseconds(100) },
            handler: { request in
                await entered.open()
                // Ends only by being cancelled.
                try? await Task.sleep(for: .seconds(3600))
                return await echo(request)
            }
        ) { port, server in
            let socket = try RawSocket(port: port)
            await socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            await entered.wait()
            let start = ContinuousClock.now
            await server.stop()
            #expect(ContinuousClock.now - start < .seconds(5))
            #expect(await socket.readToEnd() == [])
        }
    }

    @Test("a stream is asked to end and what it wrote arrives whole")
    func stream() async throws {
        try await withServer(handler: { _ in
            .events { stream in
                do {
                    try await stream.write("data: 1\n\n")
                    try? await Task.sleep(for: .seconds(3600))
                    try await stream.write("data: last\n\n")
                } catch { Issue.record("the client left") }
            }
        }) { port, server in
            let socket = try RawSocket(port: port)
            await socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let head = await socket.read(until: "data: 1\n\n")
            async let stopped: Void = server.stop()
            let rest = try #require(await socket.readToEnd(within: .seconds(5)))
            let reply = try #require(RawReply.all(in: Array(head.utf8) + rest).first)
            #expect(reply.text == "data: 1\n\ndata: last\n\n")
            await stopped
        }
    }

    @Test("the service ends with the process's shutdown")
    func service() async throws {
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(bind: .tcp(host: "127.0.0.1", port: 0)),
            log: .silent, metrics: Metrics(), handler: echo)
        let port = try #require(try server.start())
        let shutdown = Shutdown()
        async let running: Void = server.run(until: shutdown)
        let socket = try RawSocket(port: port)
        await socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(await socket.replies().count == 1)
        shutdown.begin()
        try await running
        #expect(throws: RawSocket.Failure.self) { try RawSocket(port: port) }
    }
}
