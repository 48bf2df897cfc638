import JSON

/// Whether the process lives, and whether it can serve.
enum Health {
    static func endpoints(_ services: Services) -> [Endpoint] {
        [alive, ready(services)]
    }

    /// Says nothing of the database: a process is not restarted because that is away.
    private static let alive = Endpoint(
        .get, "/healthz", "The process is alive.", access: .anyone,
        responses: [Response(200, "It is.", .object([.required("status", .oneOf(["alive"]))]))]
    ) { _ in
        .json(200, ["status": "alive"])
    }

    private static func ready(_ services: Services) -> Endpoint {
        Endpoint(
            .get, "/readyz", "The database is reachable and its schema current.",
            access: .anyone,
            responses: [
                Response(200, "Both.", .object([.required("status", .oneOf(["ready"]))]))
            ], codes: [.unavailable]
        ) { call in
            if let obstacle = await services.obstacle(call.deadline) {
                throw Problem(.unavailable, obstacle)
            }
            return .json(200, ["status": "ready"])
        }
    }
}
