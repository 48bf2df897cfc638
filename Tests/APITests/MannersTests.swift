import Cryptography
import HTTPServer
import JSON
import Postgres
import Runtime
import TestKit
import Testing
import Values

@testable import API

@Suite("What all answers have in common")
struct MannersTests {
    /// Paths of every kind of answer, refusals of the front included.
    static let everything: [(String, String)] = [
        ("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/openapi.json"), ("GET", "/nothing"),
        ("POST", "/healthz"), ("OPTIONS", "/healthz"), ("GET", "/v1/ops/toy"),
        ("GET", "/v1/toy/broken"), ("OPTIONS", "*"), ("HEAD", "/healthz"),
    ]

    @Test("every answer carries the security headers and its request's id")
    func headers() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            for (method, path) in Self.everything {
                let reply = try await api.send(method, path, headers: ["X-Request-Id: abc-1.2:3"])
                let expected = [
                    "x-content-type-options": "nosniff",
                    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
                    "cache-control": "no-store", "referrer-policy": "no-referrer",
                    "cross-origin-opener-policy": "same-origin",
                    "strict-transport-security": "max-age=31536000; includeSubDomains",
                    "x-request-id": "abc-1.2:3",
                ]
                for (name, value) in expected {
                    #expect(reply.headers[name] == value, "\(method) \(path): \(name)")
                }
                #expect(reply.headers["server"] == nil)
            }
        }
    }

    @Test("a request's id is made when none comes or when it could do harm")
    func requestID() async throws {
        try await TestAPI.run { api in
            for headers in [
                [], ["X-Request-Id: a b"], ["X-Request-Id: \(String(repeating: "a", count: 129))"],
            ] {
                let reply = try await api.send("GET", "/nothing", headers: headers)
                let id = try #require(reply.headers["x-request-id"])
                #expect(UUID(id) != nil)
                #expect(try reply.json["request_id"]?.text == id)
            }
        }
    }

    @Test("a trace is echoed when it is one")
    func trace() async throws {
        try await TestAPI.run { api in
            let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            let reply = try await api.send("GET", "/healthz", headers: ["traceparent: \(good)"])
            #expect(reply.headers["traceparent"] == good)
            for bad in [
                "00-0-0-01", good.uppercased(),
                "00-\(String(repeating: "0", count: 32))-00f067aa0ba902b7-01",
            ] {
                let reply = try await api.send("GET", "/healthz", headers: ["traceparent: \(bad)"])
                #expect(reply.headers["traceparent"] == nil)
            }
        }
    }

    @Test("a problem is pinned whole")
    func problem() async throws {
        try await TestAPI.run { api in
            let reply = try await api.send("GET", "/nothing", headers: ["X-Request-Id: r1"])
            #expect(reply.status == 404)
            #expect(reply.headers["content-type"] == "application/problem+json")
            #expect(
                reply.text
                    == #"{"type":"urn:sineta:problem:not_found","title":"Not found","status":404,"#
                    + #""detail":"There is no such thing, or it is not yours.","code":"not_found","#
                    + #""request_id":"r1"}"#)
        }
    }

    @Test("another method is 405 with what is allowed; HEAD and OPTIONS come by themselves")
    func methods() async throws {
        try await TestAPI.run(Toys.endpoints) { api in
            let other = try await api.send("DELETE", "/healthz")
            #expect(other.code == "method_not_allowed")
            #expect(other.status == 405)
            #expect(other.headers["allow"] == "GET, HEAD, OPTIONS")
            let options = try await api.send("OPTIONS", "/v1/stores/\(TestAPI.north)/toy/notes")
            #expect(options.status == 204)
            #expect(options.headers["allow"] == "GET, HEAD, OPTIONS, POST")
            #expect(options.headers["access-control-allow-origin"] == nil)
            let head = try await api.send("HEAD", "/healthz")
            #expect(head.status == 200)
            #expect(head.headers["content-length"] == "18")
            #expect(try await api.send("FOO", "/healthz").status == 405)
            #expect(try await api.send("OPTIONS", "/nothing").status == 404)
        }
    }

    @Test("what is no path of ours is 404")
    func paths() async throws {
        try await TestAPI.run { api in
            for path in [
                "/", "/healthz/", "//healthz", "/HEALTHZ", "/healthz%00", "/%zz", "/v1", "/a%2Fb",
            ] {
                let reply = try await api.send("GET", path)
                #expect(reply.code == "not_found", "\(path)")
            }
            let escaped = try await api.send("GET", "/health%7a")
            #expect(escaped.status == 200)
        }
    }

    @Test("a page of an allowed origin may read every answer, another none")
    func cors() async throws {
        try await TestAPI.run(Toys.endpoints, cors: ["https://app.example.com"]) { api in
            for (method, path) in Self.everything {
                let good = try await api.send(
                    method, path, headers: ["Origin: https://app.example.com"])
                #expect(
                    good.headers["access-control-allow-origin"] == "https://app.example.com")
                #expect(good.headers["access-control-allow-credentials"] == nil)
                #expect(good.headers["vary"] == "Origin")
                let bad = try await api.send(method, path, headers: ["Origin: https://evil.test"])
                #expect(bad.headers["access-control-allow-origin"] == nil)
            }
            let preflight = try await api.send(
                "OPTIONS", "/v1/stores/\(TestAPI.north)/toy",
                headers: [
                    "Origin: https://app.example.com", "Access-Control-Request-Method: PATCH",
                ])
            #expect(preflight.status == 204)
            #expect(preflight.headers["access-control-allow-methods"] == "OPTIONS, PATCH")
            #expect(
                preflight.headers["access-control-allow-headers"]?.contains("If-Match") == true)
        }
    }

    @Test("a fault of ours is 500 without its words, and the log has them under the request's id")
    func unforeseen() async throws {
        let lines = Lock<[String]>([])
        let log = Log(level: .error, format: .json) { line in lines.withLock { $0.append(line) } }
        try await TestAPI.run(Toys.endpoints, log: log) { api in
            let reply = try await api.send(
                "GET", "/v1/toy/broken",
                headers: [
                    "X-Request-Id: r2",
                    "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                ])
            #expect(reply.status == 500)
            #expect(reply.code == "internal")
            #expect(!reply.text.contains("Fault"))
        }
        let written = lines.withLock { $0 }
        #expect(written.count == 1)
        #expect(written.first?.contains(#""request_id":"r2""#) == true)
        #expect(
            written.first?.contains(#""trace_id":"4bf92f3577b34da6a3ce929d0e0e4736""#) == true)
        #expect(written.first?.contains("GET /v1/toy/broken") == true)
    }

    @Test(
        "with the database away an answer is 503 with Retry-After, and health stays 200",
        .timeLimit(.minutes(1)))
    func unavailable() async throws {
        // A port that nobody listens on.
        let pool = PostgresPool(
            try PostgresConfiguration(url: "postgresql://nobody:x@127.0.0.1:1/none"), size: 1,
            log: .silent)
        let services = Services(
            door: Door(pool), secret: TestAPI.secret,
            limits: Services.Limits(requestsPerMinute: 0, eventsPerSecond: 0, eventsBurst: 0),
            log: .silent, metrics: Metrics(), obstacle: { _ in "the database is away" })
        let front = Front(
            API.endpoints(services, try .forTests(pool)) + Toys.endpoints(services),
            services: services, proxies: TrustedProxies([]), cors: CORS(origins: []),
            patience: .milliseconds(300), inspecting: nil)
        let token = Tokens.access.make().reveal()
        let reply = await front.answer(.get("/v1/ops/toy", token: token))
        // What the front waits for by itself; here it was told to wait less.
        #expect(Front.patience < .seconds(5))
        #expect(reply.status == 503)
        #expect(reply.headers["Retry-After"] == "1")
        #expect(await front.answer(.get("/healthz")).status == 200)
        let ready = await front.answer(.get("/readyz"))
        #expect(ready.status == 503)
        #expect(ready.headers["Retry-After"] == "1")
        await pool.close()
    }
}
