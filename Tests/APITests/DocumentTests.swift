import HTTPServer
import JSON
import Runtime
import TestKit
import Testing

@testable import API

@Suite("The OpenAPI document")
struct DocumentTests {
    private static func document(_ endpoints: [Endpoint]) throws -> JSONValue {
        try JSONValue.parse(OpenAPI.document(endpoints))
    }

    @Test("every route stands in it, and nothing else")
    func routes() async throws {
        try await TestAPI.run { api in
            let document = try await api.send("GET", "/openapi.json").json
            #expect(document["openapi"] == "3.1.0")
            let documented = document["paths"]?.object?.flatMap { path in
                (path.value.object?.keys ?? []).map { "\($0.uppercased()) \(path.key)" }
            }
            #expect(
                Set(documented ?? []) == Set(API.endpoints(api.services, api.parts).map(\.route)))
        }
    }

    @Test("the bounds that it states are those that are checked")
    func bounds() async throws {
        try await TestAPI.run { api in
            let paths = try await api.send("GET", "/openapi.json").json["paths"]
            func properties(_ method: String, _ path: String) -> JSONValue? {
                paths?[path]?[method]?["requestBody"]?["content"]?["application/json"]?["schema"]?[
                    "properties"]
            }
            let templates = "/v1/stores/{store}/templates/{kind}/{language}"
            for (method, path) in [("put", templates), ("post", "\(templates)/preview")] {
                for name in ["title", "body"] {
                    #expect(properties(method, path)?[name]?["maxLength"] == 500, "\(path)")
                }
            }
            let token = properties("post", "/v1/me/devices")?["token"]
            #expect(token?["maxLength"] == 4096)
            let name = properties("patch", "/v1/me")?["name"]
            #expect(
                name == ["type": "string", "minLength": 1, "maxLength": 200, "pattern": "\\S"])
        }
    }

    @Test("what it refers to is in it")
    func references() async throws {
        try await TestAPI.run { api in
            let document = try Self.document(
                API.endpoints(api.services, api.parts) + Toys.endpoints(api.services))
            let names = Set(document["components"]?["schemas"]?.object?.keys ?? [])
            var found: Set<String> = []
            Self.collect(document, into: &found)
            #expect(found.isSubset(of: Set(names.map { "#/components/schemas/\($0)" })))
            #expect(found.contains("#/components/schemas/Problem"))
        }
    }

    @Test("an operation says who may call, what comes in, what goes out and what is refused")
    func operation() throws {
        let document = try Self.document([Toys.rename, Toys.note, Toys.list])
        let rename = document["paths"]?["/v1/stores/{store}/toy"]?["patch"]
        #expect(rename?["operationId"] == "patch_v1_stores_store_toy")
        #expect(rename?["x-callers"] == ["staff with store.manage"])
        #expect(rename?["security"] == [["bearer": []]])
        #expect(
            rename?["requestBody"]?["content"]?["application/json"]?["schema"] == [
                "type": "object",
                "properties": [
                    "name": ["type": "string", "minLength": 1, "maxLength": 10],
                    "level": ["type": "integer", "minimum": 1, "maximum": 3],
                    "kind": ["type": "string", "enum": ["a", "b"]],
                    "mail": [
                        "type": "string", "minLength": 1, "maxLength": 200,
                        "pattern": "^[^@\\s]+@[^@\\s.]+(\\.[^@\\s.]+)+$",
                    ],
                    "tags": [
                        "type": "array",
                        "items": ["type": "string", "minLength": 1, "maxLength": 3],
                        "maxItems": 2,
                    ],
                    "id": false,
                ], "required": ["name"],
            ])
        let statuses = rename?["responses"]?.object?.keys
        #expect(
            statuses == ["200", "400", "401", "403", "404", "413", "415", "422", "429", "503"])
        let names = document["paths"]?["/v1/stores/{store}/toy/notes"]
        let parameters = names?["get"]?["parameters"]?.array?.compactMap { $0["name"]?.text }
        #expect(parameters == ["store", "not", "loud", "limit", "after"])
        let keys = names?["post"]?["parameters"]?.array?.compactMap { $0["name"]?.text }
        #expect(keys == ["store", "Idempotency-Key"])
    }

    @Test("a POST names its Idempotency-Key, but for those whose second call changes nothing more")
    func keys() async throws {
        try await TestAPI.run { api in
            let paths = try await api.send("GET", "/openapi.json").json["paths"]?.object
            let without = paths?.compactMap { path -> String? in
                guard let post = path.value["post"] else { return nil }
                let names = post["parameters"]?.array?.map { $0["name"]?.text } ?? []
                return names.contains("Idempotency-Key") ? nil : path.key
            }
            #expect(
                without?.sorted() == [
                    "/v1/auth/accept-invite", "/v1/auth/login", "/v1/auth/logout",
                    "/v1/auth/refresh", "/v1/me/alerts/read",
                    "/v1/me/password",
                    "/v1/stores/{store}/templates/{kind}/{language}/preview",
                ])
        }
    }

    @Test("the table of codes is closed, and each has its status")
    func table() {
        let table = Dictionary(grouping: ErrorCode.allCases, by: \.status)
            .mapValues { Set($0.map(\.rawValue)) }
        #expect(
            table == [
                400: ["invalid_json", "duplicate_key"],
                401: ["unauthenticated", "session_ended", "refresh_token_reused"],
                403: ["forbidden", "session_required"], 404: ["not_found"],
                405: ["method_not_allowed"],
                409: [
                    "conflict", "last_owner", "in_progress", "one_time_secret", "device_inactive",
                ],
                410: ["push_token_invalid"], 412: ["precondition_failed"],
                413: ["body_too_large"], 415: ["unsupported_media_type"],
                422: [
                    "validation_failed", "idempotency_mismatch", "invalid_cursor",
                    "locked_by_policy", "event_not_available",
                ],
                429: ["rate_limited"], 502: ["push_provider_error"],
                503: ["push_not_configured", "unavailable"],
            ])
    }

    private static func collect(_ value: JSONValue, into found: inout Set<String>) {
        switch value {
        case .array(let elements): for element in elements { collect(element, into: &found) }
        case .object(let object):
            for member in object {
                if member.key == "$ref", let text = member.value.text { found.insert(text) }
                collect(member.value, into: &found)
            }
        default: break
        }
    }
}

@Suite("The metrics server")
struct MetricsServerTests {
    @Test("it renders the metrics and nothing else")
    func exposition() async throws {
        try await TestAPI.run { api in
            _ = try await api.send("GET", "/healthz")
            let server = API.metricsServer(
                .init(bind: .tcp(host: "127.0.0.1", port: 0)), log: .silent,
                metrics: api.services.metrics)
            let port = try #require(try server.start())
            let socket = try RawSocket(port: port)
            await socket.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
            let reply = try #require(await socket.replies().first)
            #expect(
                reply.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(
                reply.text.contains(
                    "http_requests_total{server=\"api\",route=\"GET /healthz\",status=\"200\"} 1"))
            await socket.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await socket.replies().first?.status == 404)
            await server.stop()
        }
    }
}
