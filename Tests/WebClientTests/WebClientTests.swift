import Runtime
import Testing
import WebClient

@Suite("Web client")
struct WebClientTests {
    let client = WebClient(responseLimit: 4096)

    private func get(
        _ server: ScriptedServer, deadline: Deadline = .after(.seconds(20))
    ) async throws -> WebResponse {
        let url = try WebURL("http://127.0.0.1:\(server.port)/path?q=1")
        return try await client.send(WebRequest(method: "GET", url: url), deadline: deadline)
    }

    @Test("an answer comes with its status, its headers and its body")
    func answers() async throws {
        let server = try ScriptedServer(
            .answer(
                "HTTP/1.1 404 No\r\nX-One:  a b \r\nRetry-After: 7\r\nContent-Length: 2\r\n\r\nhi"))
        let response = try await get(server)
        #expect(response.status == 404)
        #expect(response["retry-after"] == "7")
        #expect(response["X-ONE"] == "a b")
        #expect(response["absent"] == nil)
        #expect(response.body == Array("hi".utf8))
    }

    @Test("a request is sent as it was written")
    func request() async throws {
        let server = try ScriptedServer(.answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        let url = try WebURL("http://127.0.0.1:\(server.port)/token?x=%20y")
        let request = WebRequest(
            method: "POST", url: url,
            headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array("a=1&b=2".utf8))
        _ = try await client.send(request, deadline: .after(.seconds(20)))
        #expect(
            server.requests == [
                "POST /token?x=%20y HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nAccept: */*\r\n"
                    + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 7\r\n"
                    + "\r\na=1&b=2"
            ])
    }

    @Test("a redirect is an answer, not followed")
    func redirect() async throws {
        let target = try ScriptedServer(.answer("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
        let server = try ScriptedServer(
            .answer(
                "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:\(target.port)/\r\n"
                    + "Content-Length: 0\r\n\r\n"))
        #expect(try await get(server).status == 302)
        #expect(target.requests.isEmpty)
    }

    @Test("an answer over the limit is refused, whether body or headers make it so")
    func tooLarge() async throws {
        let large = String(repeating: "x", count: 5000)
        for text in ["HTTP/1.1 200 OK\r\n\r\n\(large)", "HTTP/1.1 200 OK\r\nX: \(large)\r\n\r\n"] {
            let server = try ScriptedServer(.answer(text))
            await #expect(throws: WebFailure.tooLarge) { try await get(server) }
        }
    }

    @Test("a server that says nothing costs no more than the deadline")
    func timeout() async throws {
        let server = try ScriptedServer(.silence)
        let start = ContinuousClock.now
        await #expect(throws: WebFailure.timeout) {
            try await get(server, deadline: .after(.milliseconds(200)))
        }
        #expect(ContinuousClock.now - start < .seconds(10))
        await #expect(throws: WebFailure.timeout) {
            try await get(server, deadline: Deadline(start))
        }
    }

    @Test("nobody listening is unreachable, an answer that breaks off is interrupted")
    func broken() async throws {
        let gone = try WebURL("http://127.0.0.1:1/")
        await #expect(throws: WebFailure.unreachable("Couldn't connect to server")) {
            try await client.send(
                WebRequest(method: "GET", url: gone), deadline: .after(.seconds(20)))
        }
        let server = try ScriptedServer(.breakOff("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi"))
        await #expect(
            throws: WebFailure.interrupted("Transferred a partial file")
        ) { try await get(server) }
    }

    @Test(
        "a header that would begin another is not sent", arguments: ["a\r\nB: c", "a\nb", "a\0b"])
    func headerInjection(value: String) async throws {
        let url = try WebURL("http://127.0.0.1:1/")
        await #expect(throws: WebFailure.malformed) {
            try await client.send(
                WebRequest(method: "GET", url: url, headers: [("A", value)]),
                deadline: .after(.seconds(20)))
        }
    }
}
