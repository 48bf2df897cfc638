import HTTP2
import Runtime
import Testing

@Suite("GOAWAY and refused streams")
struct GoawayTests {
    /// What a server saw: the connection of each path, in the order of arrival.
    private final class Ledger: Sendable {
        private let entries = Lock<[(connection: UInt64, path: String)]>([])

        /// Notes the request and says how many its connection has had by now.
        func note(_ request: HTTP2ServerRequest) -> Int {
            entries.withLock { entries in
                entries.append((request.connection.number, request.path))
                return entries.count { $0.connection == request.connection.number }
            }
        }

        func paths(on connection: UInt64) -> [String] {
            entries.withLock { $0.filter { $0.connection == connection }.map(\.path) }
        }
    }

    // Case G11: accept 3 of 20, say goodbye, answer the three, close.
    @Test("a GOAWAY in a burst sends what was not processed over a new connection, nothing twice")
    func goawayInBurst() async throws {
        let ledger = Ledger()
        let held = Lock<[HTTP2Responder]>([])
        let server = try makeServer { request, responder in
            let count = ledger.note(request)
            guard request.connection.number == 1 else {
                return responder.respond(HTTP2Response(status: 200))
            }
            if count <= 3 { held.withLock { $0.append(responder) } }
            guard count == 3 else { return }
            request.connection.goaway(lastStream: request.stream)
            for responder in held.withLock({ $0 }) { responder.respond(HTTP2Response(status: 200)) }
        }
        let client = try makeClient(server.port)
        let responses = try await client.burst(20).map { try $0.get() }
        #expect(responses.map(\.status) == Array(repeating: 200, count: 20))
        #expect(responses.map(\.connection) == [1, 1, 1] + Array(repeating: 2, count: 17))
        #expect(ledger.paths(on: 2).sorted() == (3..<20).map { "/\($0)" }.sorted())
        #expect(Set(ledger.paths(on: 1)) == ["/0", "/1", "/2"])
    }

    @Test("a GOAWAY that names no stream lets all streams end and moves later requests")
    func shutdownNotice() async throws {
        let server = try makeServer { request, responder in
            if request.connection.number == 1, request.path == "/0" {
                request.connection.goaway(lastStream: nil)
            }
            responder.respond(HTTP2Response(status: 200))
        }
        let client = try makeClient(server.port)
        let first = try await client.burst(10).map { try $0.get() }
        #expect(first.allSatisfy { $0.status == 200 })
        let second = try await client.burst(10).map { try $0.get().connection }
        #expect(second == Array(repeating: 2, count: 10))
    }

    @Test("a GOAWAY for all streams on every new connection ends with the deadline, unsent")
    func goawayForEver() async throws {
        let connections = Lock(0)
        let server = try makeServer(
            onConnection: {
                connections.withLock { $0 += 1 }
                $0.goaway(lastStream: 0)
            },
            handler: { _, responder in responder.respond(HTTP2Response(status: 200)) })
        let client = try makeClient(server.port) {
            $0.reconnectBase = .milliseconds(20)
            $0.reconnectCap = .milliseconds(100)
        }
        let end = await client.send(HTTP2Request(path: "/"), deadline: .after(.milliseconds(500)))
        #expect(throws: HTTP2Failure.self) { try end.get() }
        if case .failure(let failure) = end { #expect(!failure.mayHaveArrived) }
        // 500 ms at waits of 10 ms and more that double up to 50 ms and more.
        #expect(connections.withLock { $0 } < 20)
    }

    @Test("refused streams are sent again without telling the caller")
    func refusedStreams() async throws {
        let ledger = Ledger()
        let server = try makeServer(
            onConnection: { if $0.number == 1 { $0.refuseStreams(30) } },
            handler: { request, responder in
                _ = ledger.note(request)
                responder.respond(HTTP2Response(status: 200))
            })
        let client = try makeClient(server.port)
        let responses = try await client.burst(50).map { try $0.get() }
        #expect(responses.allSatisfy { $0.status == 200 })
        #expect((ledger.paths(on: 1) + ledger.paths(on: 2)).count == 50)
    }

    @Test("a connection that refuses everything is left for another one")
    func refusingConnection() async throws {
        let server = try makeServer(
            onConnection: { if $0.number == 1 { $0.refuseStreams(nil) } },
            handler: { _, responder in responder.respond(HTTP2Response(status: 200)) })
        let client = try makeClient(server.port)
        let response = try await client.send(
            HTTP2Request(path: "/"), deadline: .after(.seconds(10))
        ).get()
        #expect(response.connection == 2)
    }
}
