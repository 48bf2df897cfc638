import HTTP2
import Runtime
import Testing

@Suite("Lost and silent connections")
struct LossTests {
    private let request = HTTP2Request(path: "/")

    @Test("a request without an answer ends at its deadline; the others are not touched")
    func deadline() async throws {
        let server = try makeServer { request, responder in
            if request.path != "/never" { responder.respond(HTTP2Response(status: 200)) }
        }
        let client = try makeClient(server.port)
        _ = await client.send(request, deadline: .after(.seconds(10)))
        let began = ContinuousClock.now
        async let silent = client.sendInTime(HTTP2Request(path: "/never"), .milliseconds(100))
        #expect(try await client.send(request, deadline: .after(.seconds(10))).get().status == 200)
        #expect(await silent == .failure(.timeout(wasSent: true)))
        #expect(ContinuousClock.now - began < .seconds(60))
        #expect(ContinuousClock.now - began >= .milliseconds(100))
    }

    /// Answers all but `/freeze`, which freezes its connection.
    private func freezing() throws -> HTTP2Server {
        try makeServer { request, responder in
            if request.path == "/freeze" {
                request.connection.freeze()
            } else {
                responder.respond(HTTP2Response(status: 200))
            }
        }
    }

    @Test("a frozen peer costs a timeout, and the next request gets a new connection")
    func frozenPeer() async throws {
        let server = try freezing()
        let client = try makeClient(server.port)
        _ = await client.send(request, deadline: .after(.seconds(10)))
        let lost = await client.sendInTime(HTTP2Request(path: "/freeze"), .milliseconds(500))
        #expect(lost == .failure(.timeout(wasSent: true)))
        let next = try await client.send(request, deadline: .after(.seconds(10))).get()
        #expect(next.connection == 2)
    }

    @Test("a connection that leaves a PING unanswered is dead")
    func unansweredPing() async throws {
        let server = try freezing()
        let client = try makeClient(server.port) {
            $0.pingAfterIdle = .milliseconds(50)
            $0.pingTimeout = .seconds(5)
        }
        let lost = await client.send(
            HTTP2Request(path: "/freeze"), deadline: .after(.seconds(30)))
        #expect(lost == .failure(.unknown(.connectionLost("no answer to PING"))))
        #expect(try await client.send(request, deadline: .after(.seconds(10))).get().status == 200)
    }

    @Test("an idle connection that answers PING stays")
    func answeredPing() async throws {
        let server = try makeServer { request, responder in
            responder.respond(
                HTTP2Response(status: 200),
                after: request.path == "/late" ? .milliseconds(400) : .zero)
        }
        let client = try makeClient(server.port) {
            $0.pingAfterIdle = .milliseconds(20)
            $0.pingTimeout = .seconds(20)
        }
        let late = await client.send(HTTP2Request(path: "/late"), deadline: .after(.seconds(10)))
        #expect(try late.get().connection == 1)
        let next = await client.send(request, deadline: .after(.seconds(10)))
        #expect(try next.get().connection == 1)
    }

    @Test("a connection closed without GOAWAY leaves its requests unknown")
    func closed() async throws {
        let server = try makeServer { request, responder in
            if request.path == "/close" {
                request.connection.close()
            } else {
                responder.respond(HTTP2Response(status: 200))
            }
        }
        let client = try makeClient(server.port)
        let lost = await client.send(
            HTTP2Request(path: "/close"), deadline: .after(.seconds(10)))
        guard case .failure(.unknown(.connectionLost)) = lost else {
            Issue.record("\(lost)")
            return
        }
        #expect(try await client.send(request, deadline: .after(.seconds(10))).get().status == 200)
    }

    @Test("a stream that the peer resets is unknown, and the connection goes on")
    func resetStream() async throws {
        let server = try makeServer { request, responder in
            if request.path == "/reset" {
                responder.reset(2)
            } else {
                responder.respond(HTTP2Response(status: 200))
            }
        }
        let client = try makeClient(server.port)
        let lost = await client.send(
            HTTP2Request(path: "/reset"), deadline: .after(.seconds(10)))
        #expect(lost == .failure(.unknown(.reset(2))))
        let next = await client.send(request, deadline: .after(.seconds(10)))
        #expect(try next.get().connection == 1)
    }

    @Test(
        "a response over a limit is refused without harm to the connection",
        arguments: ["/body", "/header"])
    func tooLarge(path: String) async throws {
        let server = try makeServer { request, responder in
            let size = request.path == "/" ? 10 : 5000
            responder.respond(
                HTTP2Response(
                    status: 200,
                    headers: request.path == "/header"
                        ? [HTTP2Header("x", String(repeating: "x", count: size))] : [],
                    body: request.path == "/header" ? [] : Array(repeating: 1, count: size)))
        }
        let client = try makeClient(server.port) {
            $0.responseBodyLimit = 4096
            $0.responseHeaderLimit = 4096
        }
        let lost = await client.send(HTTP2Request(path: path), deadline: .after(.seconds(10)))
        #expect(lost == .failure(.unknown(.responseTooLarge)))
        let next = await client.send(request, deadline: .after(.seconds(10)))
        #expect(try next.get().connection == 1)
    }

    @Test("closing a client ends what is in flight, and refuses what comes later")
    func closing() async throws {
        let arrived = Gathering<Bool>(1)
        let server = try makeServer { _, _ in arrived.put(true, at: 0) }
        let client = try makeClient(server.port)
        async let lost = client.send(request, deadline: .after(.seconds(30)))
        _ = await arrived.all()
        client.close()
        #expect(await lost == .failure(.unknown(.closed)))
        let late = await client.send(request, deadline: .after(.seconds(30)))
        #expect(late == .failure(.notSent(.closed)))
    }

    @Test("draining waits for what is in flight")
    func draining() async throws {
        let held = Gathering<HTTP2Responder>(1)
        let server = try makeServer { _, responder in held.put(responder, at: 0) }
        let client = try makeClient(server.port)
        async let answer = client.send(request, deadline: .after(.seconds(30)))
        let responder = await held.all()[0]
        async let drained: Void = client.drain(until: .after(.seconds(30)))
        responder.respond(HTTP2Response(status: 200))
        #expect(try await answer.get().status == 200)
        await drained
        let late = await client.send(request, deadline: .after(.seconds(30)))
        #expect(late == .failure(.notSent(.closed)))
    }
}
