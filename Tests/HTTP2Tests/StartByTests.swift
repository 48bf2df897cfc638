import HTTP2
import Runtime
import TestKit
import Testing

@Suite("Requests that must start by a time")
struct StartByTests {
    private func request(_ path: String) -> HTTP2Request { HTTP2Request(path: path) }
    private var later: Deadline { .after(.seconds(30)) }

    @Test("one that has no stream by then is never sent, and the others are not touched")
    func noStream() async throws {
        let paths = Lock<[String]>([])
        let held = Gathering<HTTP2Responder>(1)
        let server = try makeServer {
            $0.maxConcurrentStreams = 1
        } handler: { request, responder in
            paths.withLock { $0.append(request.path) }
            if request.path == "/held" {
                held.put(responder, at: 0)
            } else {
                responder.respond(HTTP2Response(status: 200))
            }
        }
        let client = try makeClient(server.port)
        async let first = client.send(request("/held"), deadline: later)
        let responder = await held.all()[0]
        let late = await client.send(
            request("/late"), deadline: later, startBy: .after(.milliseconds(100)))
        #expect(late == .failure(.notStarted))
        async let patient = client.send(request("/patient"), deadline: later, startBy: later)
        responder.respond(HTTP2Response(status: 200))
        #expect(try await first.get().status == 200)
        #expect(try await patient.get().status == 200)
        #expect(paths.withLock { $0 } == ["/held", "/patient"])
    }

    @Test("one that is asked for when its time has passed is not sent")
    func passed() async throws {
        let paths = Lock<[String]>([])
        let server = try makeServer { request, responder in
            paths.withLock { $0.append(request.path) }
            responder.respond(HTTP2Response(status: 200))
        }
        let client = try makeClient(server.port)
        _ = await client.send(request("/"), deadline: later)
        let late = await client.send(request("/late"), deadline: later, startBy: .after(.zero))
        #expect(late == .failure(.notStarted))
        #expect(paths.withLock { $0 } == ["/"])
    }

    @Test("sent again behind a GOAWAY it must start by then as well")
    func goaway() async throws {
        let paths = Lock<[String]>([])
        let server = try makeServer(
            onConnection: { if $0.number == 2 { $0.freeze() } },
            handler: { request, responder in
                paths.withLock { $0.append(request.path) }
                if request.path == "/left" {
                    request.connection.goaway(lastStream: request.stream - 2)
                } else {
                    responder.respond(HTTP2Response(status: 200))
                }
            })
        let client = try makeClient(server.port)
        _ = await client.send(request("/"), deadline: later)
        // On a busy machine the time may pass before the first sending.
        for _ in 0..<60 where paths.withLock({ $0 }) == ["/"] {
            let late = await client.send(
                request("/left"), deadline: later, startBy: .after(.milliseconds(500)))
            #expect(late == .failure(.notStarted))
        }
        #expect(paths.withLock { $0 } == ["/", "/left"])
    }

    enum Full: String, CaseIterable, Sendable {
        case window
        case socket

        /// Requests that fill the peer's window, or the buffers of both systems: header blocks need
        /// no window.
        func filler(_ number: Int) -> HTTP2Request {
            switch self {
            case .window:
                HTTP2Request(
                    method: "POST", path: "/filler/\(number)",
                    body: Array(repeating: UInt8(ascii: "x"), count: 4096))
            case .socket:
                HTTP2Request(
                    path: "/filler/\(number)",
                    headers: [
                        HTTP2Header(
                            "x-filler", String(repeating: "x", count: 15_000), isSensitive: true)
                    ])
            }
        }
    }

    @Test(
        "while the peer reads nothing no stream opens, and nothing comes of it later",
        arguments: Full.allCases)
    func stopsReading(full: Full) async throws {
        let paths = Lock<[String]>([])
        let connections = Gathering<HTTP2ServerConnection>(1)
        let server = try makeServer(
            onConnection: { connections.put($0, at: 0) },
            handler: { request, responder in
                paths.withLock { $0.append(request.path) }
                responder.respond(HTTP2Response(status: 200))
            })
        let client = try makeClient(server.port)
        #expect(try await client.send(request("/"), deadline: later).get().status == 200)
        let connection = await connections.all()[0]
        connection.freeze()
        let count = 900
        let fillers = Gathering<Result<HTTP2Response, HTTP2Failure>>(count)
        for number in 0..<count {
            client.submit(full.filler(number), deadline: .after(.seconds(60))) {
                fillers.put($0, at: number)
            }
        }
        let late = await client.send(
            request("/late"), deadline: later, startBy: .after(.milliseconds(200)))
        #expect(late == .failure(.notStarted))
        connection.thaw()
        let ends = await fillers.all()
        #expect(ends.allSatisfy { (try? $0.get().status) == 200 })
        #expect(paths.withLock { $0 }.count == count + 1)
        #expect(!paths.withLock { $0 }.contains("/late"))
    }

    @Test("a request whose end found no room in the peer's window by then is taken back")
    func halfSent() async throws {
        let paths = Lock<[String]>([])
        let connections = Gathering<HTTP2ServerConnection>(1)
        let server = try makeServer(
            onConnection: { connections.put($0, at: 0) },
            handler: { request, responder in
                paths.withLock { $0.append(request.path) }
                responder.respond(HTTP2Response(status: 200))
            })
        let client = try makeClient(server.port)
        _ = try await client.send(request("/"), deadline: later).get()
        let connection = await connections.all()[0]
        connection.freeze()
        let long = HTTP2Request(
            method: "POST", path: "/long", body: Array(repeating: 1, count: 500_000))
        let half = await client.send(long, deadline: later, startBy: .after(.milliseconds(200)))
        #expect(half == .failure(.notStarted))
        connection.thaw()
        #expect(try await client.send(request("/after"), deadline: later).get().status == 200)
        #expect(paths.withLock { $0 } == ["/", "/after"])
    }

    @Test("a connection that is slower goes on being made, and the next request finds it")
    func slowConnection() async throws {
        let made = Gathering<HTTP2ServerConnection>(1)
        let server = try makeServer(
            onConnection: {
                $0.freeze()
                made.put($0, at: 0)
            }, handler: { _, responder in responder.respond(HTTP2Response(status: 200)) })
        let client = try makeClient(server.port) { $0.firstRequestAlone = true }
        // On a busy machine the time may pass before the connection is begun.
        for _ in 0..<60 where server.connections.isEmpty {
            let early = await client.send(
                request("/"), deadline: later, startBy: .after(.milliseconds(200)))
            #expect(early == .failure(.notStarted))
        }
        try #require(await made.all().first).thaw()
        #expect(try await client.send(request("/"), deadline: later).get().connection == 1)
        #expect(server.connections.count == 1)
    }

    @Test("a peer that leaves every connection without an answer fails, too")
    func leaves() async throws {
        let server = try makeServer(
            onConnection: { $0.goaway(lastStream: 0) },
            handler: { _, responder in responder.respond(HTTP2Response(status: 200)) })
        let client = try makeClient(server.port) {
            $0.reconnectBase = .milliseconds(200)
            $0.reconnectCap = .seconds(10)
        }
        var failures = 0
        for _ in 0..<50 where failures == 0 {
            let end = await client.send(
                request("/"), deadline: later, startBy: .after(.milliseconds(100)))
            if case .failure(.connect) = end { failures += 1 }
        }
        #expect(failures == 1, "else no breaker would ever hear of it")
    }

    @Test("while no connection can be made it is the peer that fails")
    func nobodyListens() async throws {
        let port = try RefusingPort()
        let client = try makeClient(port.number)
        var end: Result<HTTP2Response, HTTP2Failure> = .failure(.notStarted)
        // On a busy machine the time may pass before anything was tried.
        for _ in 0..<60 where end == .failure(.notStarted) {
            end = await client.send(
                request("/"), deadline: later, startBy: .after(.milliseconds(500)))
        }
        guard case .failure(.connect) = end else {
            Issue.record("\(end)")
            return
        }
    }
}
