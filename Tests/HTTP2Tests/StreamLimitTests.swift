import HTTP2
import Runtime
import Testing

@Suite("Stream limits")
struct StreamLimitTests {
    /// Counts requests that are open at once; each is answered in a later job of the loop, so that
    /// those of one flight overlap.
    private final class Overlap: Sendable {
        private let state = Lock((open: 0, most: 0))
        var most: Int { state.withLock { $0.most } }

        func answer(_ responder: HTTP2Responder, status: Int = 200) {
            state.withLock { state in
                state.open += 1
                state.most = max(state.most, state.open)
            }
            Threads.start("answer") { [state] in
                state.withLock { $0.open -= 1 }
                responder.respond(HTTP2Response(status: status))
            }
        }
    }

    @Test("a peer that allows one stream gets one at a time")
    func oneStream() async throws {
        let overlap = Overlap()
        let server = try makeServer {
            $0.maxConcurrentStreams = 1
        } handler: { _, responder in
            overlap.answer(responder)
        }
        let client = try makeClient(server.port)
        let responses = try await client.burst(100).map { try $0.get() }
        #expect(responses.allSatisfy { $0.status == 200 })
        #expect(overlap.most == 1)
    }

    @Test("a limit that is lowered and raised under load loses nothing")
    func changingLimit() async throws {
        let server = try makeServer {
            $0.maxConcurrentStreams = 50
        } handler: {
            request, responder in
            switch request.path {
            case "/100": request.connection.setMaxConcurrentStreams(1)
            case "/200": request.connection.setMaxConcurrentStreams(100)
            default: break
            }
            responder.respond(HTTP2Response(status: 200))
        }
        let client = try makeClient(server.port)
        let responses = try await client.burst(1000, within: .seconds(30)).map { try $0.get() }
        #expect(responses.allSatisfy { $0.status == 200 })
    }

    @Test("the first request goes alone until one was answered 2xx")
    func firstRequestAlone() async throws {
        let refusals = Lock(3)
        let overlap = Overlap()
        let server = try makeServer { request, responder in
            let refuses = refusals.withLock { left in
                left -= 1
                return left >= 0
            }
            if refuses {
                overlap.answer(responder, status: 403)
            } else {
                #expect(overlap.most == 1)
                responder.respond(HTTP2Response(status: 200))
            }
        }
        let client = try makeClient(server.port) { $0.firstRequestAlone = true }
        #expect(client.freeStreams == 1)
        let statuses = try await client.burst(50).map { try $0.get().status }
        #expect(statuses == [403, 403, 403] + Array(repeating: 200, count: 47))
        #expect(overlap.most == 1)
        #expect(client.freeStreams > 1)
    }

    @Test("full connections are joined by others up to the number allowed")
    func severalConnections() async throws {
        let held = Gathering<HTTP2Responder>(40)
        let server = try makeServer { request, responder in
            guard request.path != "/first" else {
                return responder.respond(HTTP2Response(status: 200))
            }
            held.put(responder, at: Int(request.path.dropFirst()) ?? 0)
        }
        let client = try makeClient(server.port) {
            $0.connections = 4
            $0.streamsPerConnection = 10
        }
        _ = await client.send(HTTP2Request(path: "/first"), deadline: .after(.seconds(10)))
        async let ends = client.burst(40)
        // All forty are at the server before the first is answered.
        for responder in await held.all() { responder.respond(HTTP2Response(status: 200)) }
        let connections = try await ends.map { try $0.get().connection }
        #expect(Set(connections) == [1, 2, 3, 4])
        #expect(server.connections.count == 4)
    }

    @Test("a fresh connection is made when asked for, once for all who had the same answer")
    func freshConnection() async throws {
        let server = try makeServer { _, responder in
            responder.respond(HTTP2Response(status: 200))
        }
        let client = try makeClient(server.port)
        let request = HTTP2Request(path: "/")
        let deadline = Deadline.after(.seconds(10))
        #expect(try await client.send(request, deadline: deadline).get().connection == 1)
        let fresh = try await client.send(request, deadline: deadline, onFreshConnection: true)
            .get()
        #expect(fresh.connection == 2)
        #expect(try await client.send(request, deadline: deadline).get().connection == 2)
        for _ in 0..<3 {
            let shared = try await client.send(request, deadline: deadline, newerThan: 2).get()
            #expect(shared.connection == 3)
        }
    }
}
