import JSON

extension Endpoint {
    /// `GET /openapi.json`: the document about the endpoints and itself.
    static func document(of endpoints: [Endpoint]) -> Endpoint {
        let bytes = OpenAPI.document(endpoints + [document(bytes: [])])
        return document(bytes: bytes)
    }

    private static func document(bytes: [UInt8]) -> Endpoint {
        Endpoint(
            .get, "/openapi.json", "This document.", access: .anyone,
            responses: [Response(200, "OpenAPI 3.1.", .object([]))]
        ) { _ in
            Answer(status: 200, content: .json(bytes))
        }
    }
}
