import Values

/// Finds the endpoint of a path. Literals go before places; a path is compared decoded, segment by
/// segment, so that `%2F` is part of a segment and a slash at the end is another path.
struct Router: Sendable {
    private struct Node: Sendable {
        var literals: [String: Node] = [:]
        var place: [Node] = []
        var endpoints: [Endpoint] = []
    }

    enum Match: Sendable {
        /// The values are nil when one of them does not fit its place.
        case endpoint(Endpoint, PathValues?)
        /// The path is known, the method is not; what it does take.
        case otherMethods([String])
        case none
    }

    private var root = Node()

    init(_ endpoints: [Endpoint]) {
        for endpoint in endpoints {
            Self.add(endpoint, endpoint.path.segments[...], to: &root)
        }
    }

    private static func add(
        _ endpoint: Endpoint, _ path: ArraySlice<PathPattern.Segment>, to node: inout Node
    ) {
        switch path.first {
        case nil:
            precondition(
                !node.endpoints.contains { $0.method == endpoint.method },
                "\(endpoint.route) is declared twice")
            node.endpoints.append(endpoint)
        case .literal(let text):
            add(endpoint, path.dropFirst(), to: &node.literals[text, default: Node()])
        case .place:
            if node.place.isEmpty { node.place.append(Node()) }
            add(endpoint, path.dropFirst(), to: &node.place[0])
        }
    }

    func match(_ method: String, _ path: String) -> Match {
        guard let segments = Self.segments(path), let node = Self.find(segments[...], root) else {
            return .none
        }
        let wanted = method == "HEAD" ? "GET" : method
        guard let endpoint = node.endpoints.first(where: { $0.method.rawValue == wanted }) else {
            return .otherMethods(Self.methods(of: node))
        }
        return .endpoint(endpoint, PathValues(endpoint.path, segments: segments))
    }

    private static func segments(_ path: String) -> [String]? {
        guard path.hasPrefix("/") else { return nil }
        var segments: [String] = []
        for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let text = PercentText.decode(part) else { return nil }
            segments.append(text)
        }
        return segments
    }

    private static func find(_ path: ArraySlice<String>, _ node: Node) -> Node? {
        guard let first = path.first else { return node.endpoints.isEmpty ? nil : node }
        if let next = node.literals[first], let found = find(path.dropFirst(), next) {
            return found
        }
        return node.place.first.flatMap { find(path.dropFirst(), $0) }
    }

    private static func methods(of node: Node) -> [String] {
        var methods = node.endpoints.map(\.method.rawValue)
        if methods.contains("GET") { methods.append("HEAD") }
        return (methods + ["OPTIONS"]).sorted()
    }
}
