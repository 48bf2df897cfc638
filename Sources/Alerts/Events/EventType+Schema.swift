public import JSON

extension EventType {
    /// The event as a JSON Schema (OpenAPI 3.1).
    public var schema: JSONValue {
        [
            "type": "object", "title": .text(name), "required": ["id", "type", "data"],
            "properties": .object(
                JSONObject([
                    (
                        "id",
                        [
                            "type": "string", "minLength": 1, "maxLength": 200,
                            "description": "The caller's own id, 1 to 200 bytes of UTF-8.",
                        ]
                    ),
                    ("type", ["const": .text(name)]),
                    ("occurred_at", Event.envelopeTime.schema),
                    ("data", FieldShape.object(fields).schema),
                ])),
        ]
    }

    /// Any event, told apart by `type`.
    public static var anySchema: JSONValue {
        ["oneOf": .array(all.map(\.schema)), "discriminator": ["propertyName": "type"]]
    }

    /// All types and their fields as one flat table, for the SQL function that checks events.
    ///
    /// A row is `{event, path, parent, name, shape, required, nullable, min, max, pattern, words}`:
    /// `path` is the JSON pointer below `/data` (`/total/amount`), `parent` that of the object in
    /// which it stands (empty for `data` itself), `min` and `max` bound code points of a text or
    /// the value of an integer. Rows stand in the order in which faults are reported.
    public static var table: [JSONValue] {
        all.flatMap { type in type.fields.flatMap { $0.rows(of: type.name, below: "") } }
    }
}

extension EventField {
    var schema: JSONValue {
        guard isNullable, var object = shape.schema.object else { return shape.schema }
        if let choices = object["enum"]?.array { object["enum"] = .array(choices + [.null]) }
        if let type = object["type"] { object["type"] = [type, "null"] }
        return .object(object)
    }

    fileprivate func rows(of event: String, below parent: String) -> [JSONValue] {
        let path = "\(parent)/\(name)"
        var row = JSONObject([
            ("event", .text(event)), ("path", .text(path)), ("parent", .text(parent)),
            ("name", .text(name)), ("shape", .text(shape.word)), ("required", .bool(isRequired)),
            ("nullable", .bool(isNullable)),
        ])
        row["min"] = shape.bounds.map { .integer($0.lowerBound) } ?? .null
        row["max"] = shape.bounds.map { .integer($0.upperBound) } ?? .null
        row["pattern"] = shape.pattern.map { .text($0) } ?? .null
        row["words"] = shape.words.map { .array($0.map { .text($0) }) } ?? .null
        return [.object(row)] + shape.nested.flatMap { $0.rows(of: event, below: path) }
    }
}

extension FieldShape {
    var schema: JSONValue {
        switch self {
        case .text(let length):
            [
                "type": "string", "minLength": .integer(Int64(length.lowerBound)),
                "maxLength": .integer(Int64(length.upperBound)),
            ]
        case .choice(let words):
            ["type": "string", "enum": .array(words.map { .text($0) })]
        case .uuid: ["type": "string", "format": "uuid"]
        case .amount, .currency:
            ["type": "string", "pattern": pattern.map { .text($0) } ?? .null]
        case .integer(let range):
            [
                "type": "integer", "minimum": .integer(range.lowerBound),
                "maximum": .integer(range.upperBound),
            ]
        case .boolean: ["type": "boolean"]
        case .time: ["type": "string", "format": "date-time"]
        case .object(let fields):
            [
                "type": "object",
                "required": .array(fields.filter(\.isRequired).map { .text($0.name) }),
                "properties": .object(JSONObject(fields.map { ($0.name, $0.schema) })),
            ]
        }
    }

    fileprivate var bounds: ClosedRange<Int64>? {
        switch self {
        case .text(let length): Int64(length.lowerBound)...Int64(length.upperBound)
        case .integer(let range): range
        case .choice, .uuid, .amount, .currency, .boolean, .time, .object: nil
        }
    }

    fileprivate var words: [String]? {
        if case .choice(let words) = self { words } else { nil }
    }

    fileprivate var nested: [EventField] {
        if case .object(let fields) = self { fields } else { [] }
    }
}
