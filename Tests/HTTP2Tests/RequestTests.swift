import HTTP2
import Runtime
import Testing

@Suite("Requests and responses")
struct RequestTests {
    @Test("a request arrives whole and its response comes back whole")
    func roundTrip() async throws {
        let seen = Gathering<HTTP2ServerRequest>(1)
        let server = try makeServer { request, responder in
            seen.put(request, at: 0)
            responder.respond(
                HTTP2Response(
                    status: 400, headers: [HTTP2Header("apns-id", "x")], body: Array("no".utf8)))
        }
        let client = try makeClient(server.port)
        let body = [UInt8](repeating: 7, count: 200_000)
        let result = await client.send(
            HTTP2Request(
                path: "/3/device/ab",
                headers: [
                    HTTP2Header("authorization", "bearer t", isSensitive: true),
                    HTTP2Header("apns-topic", "app"),
                ], body: body),
            deadline: .after(.seconds(10)))
        #expect(
            try result.get()
                == HTTP2Response(
                    status: 400, headers: [HTTP2Header("apns-id", "x")], body: Array("no".utf8),
                    connection: 1))
        let request = try #require(await seen.all().first)
        #expect(request.method == "POST")
        #expect(request.path == "/3/device/ab")
        #expect(request.authority == "localhost:\(server.port)")
        #expect(
            request.headers.map { "\($0.name): \($0.value)" } == [
                "authorization: bearer t", "apns-topic: app",
            ])
        #expect(request.body == body)
    }

    @Test("ten thousand requests go over one connection")
    func tenThousand() async throws {
        let server = try makeServer { request, responder in
            responder.respond(HTTP2Response(status: 200, body: Array(request.path.utf8)))
        }
        let client = try makeClient(server.port)
        let ends = await client.burst(10_000, within: .seconds(60))
        for (index, end) in ends.enumerated() {
            let response = try end.get()
            #expect(response.connection == 1)
            #expect(response.body == Array("/\(index)".utf8))
        }
        #expect(client.inFlight == 0)
    }
}
