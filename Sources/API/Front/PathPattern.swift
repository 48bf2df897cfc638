public import Values

/// A path with places for values: `/v1/stores/{store}/templates/{kind:text}/{level:low|high}`.
///
/// `{name}` is a UUID, `{name:text}` any text, `{name:a|b}` one of the words. What does not fit its
/// place is answered as what does not exist.
public struct PathPattern: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public enum Place: Sendable, Equatable {
        case uuid
        case text
        case words([String])
    }

    enum Segment: Sendable, Equatable {
        case literal(String)
        case place(name: String, Place)
    }

    let segments: [Segment]

    public init(stringLiteral value: StaticString) {
        segments = "\(value)".split(separator: "/").map(Self.segment)
    }

    /// As OpenAPI writes it: `/v1/stores/{store}`. Also the route's name in metrics and log lines.
    public var description: String {
        segments.reduce(into: "") { text, segment in
            switch segment {
            case .literal(let literal): text += "/\(literal)"
            case .place(let name, _): text += "/{\(name)}"
            }
        }
    }

    var places: [(name: String, place: Place)] {
        segments.compactMap { segment in
            if case .place(let name, let place) = segment { (name, place) } else { nil }
        }
    }

    private static func segment(_ text: Substring) -> Segment {
        guard text.hasPrefix("{"), text.hasSuffix("}") else { return .literal(String(text)) }
        let parts = text.dropFirst().dropLast().split(separator: ":", maxSplits: 1)
        let name = String(parts[0])
        guard parts.count == 2 else { return .place(name: name, .uuid) }
        if parts[1] == "text" { return .place(name: name, .text) }
        return .place(name: name, .words(parts[1].split(separator: "|").map(String.init)))
    }
}

/// The values that stood in a path's places.
public struct PathValues: Sendable {
    private let values: [String: String]

    /// - Returns: nil when a value does not fit its place.
    init?(_ pattern: PathPattern, segments: [String]) {
        var values: [String: String] = [:]
        for (segment, text) in zip(pattern.segments, segments) {
            guard case .place(let name, let place) = segment else { continue }
            switch place {
            case .uuid: guard UUID(text) != nil else { return nil }
            case .text: guard !text.isEmpty, text.utf8.count <= 255 else { return nil }
            case .words(let words): guard words.contains(text) else { return nil }
            }
            values[name] = text
        }
        self.values = values
    }

    /// The id in a place that the endpoint's pattern declares.
    public func id<Subject>(
        _ name: String, of subject: Subject.Type = Subject.self
    ) throws(Problem) -> ID<Subject> {
        guard let text = values[name], let id = ID<Subject>(text) else { throw Problem(.notFound) }
        return id
    }

    /// The same for what has no type of its own.
    public func uuid(_ name: String) throws(Problem) -> UUID {
        guard let uuid = values[name].flatMap({ UUID($0) }) else { throw Problem(.notFound) }
        return uuid
    }

    public func text(_ name: String) throws(Problem) -> String {
        guard let text = values[name] else { throw Problem(.notFound) }
        return text
    }

    /// The store in the path, which the check of authority goes by.
    var store: StoreID? { values["store"].flatMap { StoreID($0) } }
}
