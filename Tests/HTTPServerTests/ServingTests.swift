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
