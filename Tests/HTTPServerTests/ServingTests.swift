import HTTPServer
import Runtime
import TestKit
import Testing

/// Runs a server for the time of `body`.
func withServer(
    _ change: (inout HTTPServerConfiguration) -> Void = { _ in }, metrics: Metrics = Metrics(),
    head: (@Sendable (HTTPRequestHead) -> HTTPVerdict)? = nil,
    handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = echo,
    _ body: (Int, HTTPServer) async throws -> Void
) async throws {
    var configuration = HTTPServerConfiguration(bind: .tcp(host: "127.0.0.1", port: 0))
    configuration.drain = .seconds(5)
    change(&configuration)
    let server = HTTPServer(
        configuration: configuration, log: .silent, metrics: metrics, head: head, handler: handler)
    let port = try #require(try server.start())
    do {
        try await body(port, server)
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

/// Answers with what it understood: method, path, query and the body's text.
@Sendable func echo(_ request: HTTPRequest) async -> HTTPResponse {
    let body = String(decoding: request.body, as: UTF8.self)
    return .text(200, "\(request.method) \(request.path)|\(request.query)|\(body)", route: "/echo")
}

@Suite("Serving HTTP")
struct ServingTests {
    @Test("a request is answered by its handler, and the connection serves the next")
    func keepAlive() async throws {
        try await withServer { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send("GET /a%20b?c=%31 HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await socket.replies().map(\.text) == ["GET /a%20b|c=%31|"])
            await socket.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
            #expect(await socket.replies().map(\.text) == ["POST /||abc"])
        }
    }
}

@Suite("Starting to listen")
struct ListeningTests {
    private func server(_ bind: HTTPBind) -> HTTPServer {
        HTTPServer(
            configuration: HTTPServerConfiguration(bind: bind), log: .silent, metrics: Metrics(),
            handler: echo)
    }

    @Test("a taken port stops the start with one line that says what to do")
    func takenPort() async throws {
        try await withServer { port, _ in
            let bind = HTTPBind.tcp(host: "127.0.0.1", port: port)
            let error = #expect(throws: HTTPServerError.addressInUse(bind)) {
                try server(bind).start()
            }
            let line = try #require(error.map { "\($0)" })
            #expect(line.hasPrefix("cannot listen on 127.0.0.1:\(port): it is in use; stop the "))
            #expect(!line.contains("\n"))
        }
    }

    @Test("an address of another machine is named")
    func foreignAddress() {
        let bind = HTTPBind.tcp(host: "192.0.2.1", port: 0)
        #expect(throws: HTTPServerError.addressNotAvailable(bind)) { try server(bind).start() }
    }

    @Test("a Unix socket serves, replaces a dead one and leaves a living one alone")
    func unixSocket() async throws {
        let path = "/tmp/sineta-http-\(UInt64.random(in: 0...UInt64.max))"
        let bind = HTTPBind.unix(path: path, mode: 0o600)
        let first = server(bind)
        #expect(try first.start() == nil)
        let socket = try RawSocket(path: path)
        await socket.send("GET /u HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(await socket.replies().map(\.text) == ["GET /u||"])
        #expect(throws: HTTPServerError.addressInUse(bind)) { try server(bind).start() }
        await first.stop()
        #expect(!Files.exists(path))
        try Files.write([], to: path)
        let second = server(bind)
        try second.start()
        await second.stop()
    }

    @Test("requests are counted by route and status, and timed; connections are counted")
    func metrics() async throws {
        let metrics = Metrics()
        try await withServer(metrics: metrics) { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send(
                "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await socket.replies(2).count == 2)
            #expect(metrics.render().contains("http_open_connections{server=\"http\"} 1\n"))
        }
        let text = metrics.render()
        #expect(
            text.contains("http_requests_total{server=\"http\",route=\"/echo\",status=\"200\"} 2\n")
        )
        #expect(text.contains("http_request_seconds_count{server=\"http\",route=\"/echo\"} 2\n"))
        #expect(text.contains("http_open_connections{server=\"http\"} 0\n"))
    }
}
