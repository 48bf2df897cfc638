import Alerts
import JSON

/// The OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0), made from the declarations that
/// also route and check: ops/decisions/0008-endpoints-are-declared-once.md.
enum OpenAPI {
    private static let preamble = """
        Alerts for merchants. Bodies are UTF-8 JSON in snake_case; ids are UUIDs in lower case, times \
        RFC 3339 in UTC, amounts decimal strings.

        Errors are `application/problem+json` (RFC 9457) with a stable `code`. What the HTTP parser \
        itself refuses is answered by its status alone and ends the connection: 400 for a malformed \
        head (no Host or two, two lengths, a length beside chunks), 414 for a target over 8 KiB, 431 \
        for headers over 16 KiB, 505 for another version. A head that takes longer than 10 seconds or \
        a body that takes longer than 30 ends the connection without an answer. A body \
        over 1 MiB is 413; one of any size with a `Content-Encoding` other than `identity` is 415.

        Every path answers OPTIONS, and HEAD where it answers GET; other methods are 405 with `Allow`. \
        Unknown members of a body and unknown parameters are ignored.
        """

    static func document(_ endpoints: [Endpoint]) -> [UInt8] {
        var names: [String: JSONValue] = [:]
        var paths = JSONObject()
        for endpoint in endpoints {
            let path = endpoint.path.description
            var item = paths[path]?.object ?? JSONObject()
            item[endpoint.method.rawValue.lowercased()] = operation(endpoint, &names)
            paths[path] = .object(item)
        }
        let document: JSONValue = [
            "openapi": "3.1.0",
            "info": [
                "title": "Sineta", "version": .text(API.version), "description": .text(preamble),
            ],
            "servers": [["url": "/"]],
            "paths": .object(paths),
            "components": [
                "securitySchemes": [
                    "bearer": [
                        "type": "http", "scheme": "bearer",
                        "description": "A person's access token, or a store's API token.",
                    ]
                ],
                "schemas": .object(schemas(names)),
            ],
        ]
        return document.encoded
    }

    private static func schemas(_ names: [String: JSONValue]) -> JSONObject {
        var all = names
        all["Problem"] = problem.schema(collecting: &all)
        return JSONObject(all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    static let problem = Shape.object([
        .required("type", .text), .required("title", .text), .required("status", .integer),
        .required("detail", .text), .required("code", .oneOf(ErrorCode.allCases.map(\.rawValue))),
        .required("request_id", .text),
        .optional(
            "errors",
            .list(
                of: .object([
                    .required("pointer", .text),
                    .required(
                        "code",
                        .oneOf([
                            "required", "type", "format", "length", "range", "unknown_value",
                            "not_allowed",
                        ])), .required("message", .text),
                ]))),
    ])

    // MARK: Operations

    private static func operation(
        _ endpoint: Endpoint, _ names: inout [String: JSONValue]
    ) -> JSONValue {
        var object = JSONObject([
            ("operationId", .text(operationID(endpoint))), ("summary", .text(endpoint.summary)),
            ("tags", [.text(tag(endpoint))]),
            ("security", endpoint.access == nil ? [] : [["bearer": []]]),
            ("x-callers", callers(endpoint)),
        ])
        let parameters = parameters(endpoint)
        if !parameters.isEmpty { object["parameters"] = .array(parameters) }
        if let body = endpoint.body {
            object["requestBody"] = [
                "required": .bool(!body.isOptional),
                "content": [
                    "application/json": ["schema": body.shape.schema(collecting: &names)]
                ],
            ]
        }
        object["responses"] = .object(responses(endpoint, &names))
        return .object(object)
    }

    /// `put_v1_stores_store_templates_kind_language`.
    private static func operationID(_ endpoint: Endpoint) -> String {
        let words = endpoint.path.description.split { "/{}-.".contains($0) }
        return ([endpoint.method.rawValue.lowercased()[...]] + words).joined(separator: "_")
    }

    /// The first word that tells subjects apart.
    private static func tag(_ endpoint: Endpoint) -> String {
        let literals = endpoint.path.segments.compactMap { segment -> String? in
            if case .literal(let text) = segment, text != "v1" { text } else { nil }
        }
        let isCommon = ["stores", "me"].contains(literals.first) && literals.count > 1
        return (isCommon ? literals.dropFirst().first : literals.first) ?? "api"
    }

    /// Who may call, which OpenAPI has no word for.
    private static func callers(_ endpoint: Endpoint) -> JSONValue {
        guard let access = endpoint.access else { return ["anyone"] }
        return .array(
            access.rules.map { rule in
                switch rule.need {
                case .nothing: .text(rule.kind.rawValue)
                case .membership: .text("\(rule.kind.rawValue) of the store")
                case .permission(let permission):
                    .text("\(rule.kind.rawValue) with \(permission.rawValue)")
                }
            })
    }

    private static func parameters(_ endpoint: Endpoint) -> [JSONValue] {
        var parameters: [JSONValue] = endpoint.path.places.map { name, place in
            [
                "name": .text(name), "in": "path", "required": true, "schema": place.schema,
            ]
        }
        var unused: [String: JSONValue] = [:]
        for parameter in endpoint.query {
            parameters.append([
                "name": .text(parameter.name), "in": "query",
                "description": .text(parameter.summary),
                "schema": parameter.shape.schema(collecting: &unused),
            ])
        }
        if endpoint.isIdempotent {
            parameters.append(
                header(
                    "Idempotency-Key", "Sent again, it gives the first answer (24 hours).",
                    ["type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"]))
        }
        if endpoint.isVersioned, endpoint.method != .get {
            parameters.append(
                header(
                    "If-Match", "The ETag of the state that may be changed.", ["type": "string"]))
        }
        return parameters
    }

    private static func header(
        _ name: JSONValue, _ description: JSONValue, _ schema: JSONValue
    ) -> JSONValue {
        ["name": name, "in": "header", "description": description, "schema": schema]
    }

    // MARK: Responses

    private static func responses(
        _ endpoint: Endpoint, _ names: inout [String: JSONValue]
    ) -> JSONObject {
        var all: [(Int, JSONValue)] = []
        for (status, group) in Dictionary(grouping: endpoint.responses, by: \.status) {
            all.append((status, success(group, endpoint, &names)))
        }
        for (status, codes) in Dictionary(grouping: endpoint.allCodes, by: \.status) {
            all.append((status, refusal(codes)))
        }
        return JSONObject(all.sorted { $0.0 < $1.0 }.map { (String($0.0), $0.1) })
    }

    private static func success(
        _ group: [Response], _ endpoint: Endpoint, _ names: inout [String: JSONValue]
    ) -> JSONValue {
        let summary = group.map(\.summary).joined(separator: " Or: ")
        var object = JSONObject([("description", .text(summary))])
        if endpoint.isVersioned {
            object["headers"] = ["ETag": ["schema": ["type": "string"]]]
        }
        var schemas: [(type: String, schema: JSONValue)] = []
        for response in group {
            guard response.shape != nil || response.mediaType != nil else { continue }
            let schema = response.shape?.schema(collecting: &names) ?? ["type": "string"]
            schemas.append((response.mediaType ?? "application/json", schema))
        }
        var content = JSONObject()
        for (type, schema) in schemas where content[type] == nil {
            let all = schemas.filter { $0.type == type }.map(\.schema)
            content[type] = ["schema": all.count == 1 ? schema : ["anyOf": .array(all)]]
        }
        if !content.isEmpty { object["content"] = .object(content) }
        return .object(object)
    }

    private static func refusal(_ codes: [ErrorCode]) -> JSONValue {
        let words = JSONValue.array(codes.map { .text($0.rawValue) })
        return [
            "description": .text(codes.map(\.title).joined(separator: "; ") + "."),
            "content": [
                "application/problem+json": [
                    "schema": [
                        "allOf": [
                            ["$ref": "#/components/schemas/Problem"],
                            ["properties": ["code": ["enum": words]]],
                        ]
                    ]
                ]
            ],
        ]
    }
}

extension PathPattern.Place {
    fileprivate var schema: JSONValue {
        switch self {
        case .uuid: ["type": "string", "format": "uuid"]
        case .text: ["type": "string", "minLength": 1, "maxLength": 255]
        case .words(let words): ["type": "string", "enum": .array(words.map { .text($0) })]
        }
    }
}
