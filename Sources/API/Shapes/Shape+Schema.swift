import JSON

extension Shape {
    /// The shape in JSON Schema 2020-12, as OpenAPI 3.1 takes it.
    ///
    /// - Parameter names: collects the named shapes that it refers to.
    func schema(collecting names: inout [String: JSONValue]) -> JSONValue {
        switch self {
        case .text(let rule): return rule.schema
        case .integer(let range):
            var object = JSONObject([("type", "integer")])
            if range.lowerBound != .min { object["minimum"] = .integer(range.lowerBound) }
            if range.upperBound != .max { object["maximum"] = .integer(range.upperBound) }
            return .object(object)
        case .number: return ["type": "number"]
        case .bool: return ["type": "boolean"]
        case .list(let element, let count):
            var object = JSONObject([
                ("type", "array"), ("items", element.schema(collecting: &names)),
            ])
            Self.add(count, "Items", to: &object)
            return .object(object)
        case .object(let fields): return Self.objectSchema(fields, &names)
        case .map(let keys, let values, let count):
            var object = JSONObject([
                ("type", "object"), ("propertyNames", keys.schema),
                ("additionalProperties", values.schema(collecting: &names)),
            ])
            Self.add(count, "Properties", to: &object)
            return .object(object)
        case .nullable(let shape):
            return ["anyOf": [shape.schema(collecting: &names), ["type": "null"]]]
        case .anything: return [:]
        case .named(let name, let shape):
            if names[name] == nil {
                // Set first, so that a shape that contains itself ends.
                names[name] = .null
                names[name] = shape.schema(collecting: &names)
            }
            return ["$ref": .text("#/components/schemas/\(name)")]
        case .custom(let schema, _): return schema
        }
    }

    private static func objectSchema(
        _ fields: [Field], _ names: inout [String: JSONValue]
    ) -> JSONValue {
        let allowed = fields.filter { $0.presence != .forbidden }
        var properties = JSONObject()
        for field in allowed {
            properties[field.name] = field.shape.schema(collecting: &names)
        }
        var object = JSONObject([("type", "object"), ("properties", .object(properties))])
        let required = allowed.filter { $0.presence == .required }.map { JSONValue.text($0.name) }
        if !required.isEmpty { object["required"] = .array(required) }
        let forbidden = fields.filter { $0.presence == .forbidden }
        for field in forbidden { properties[field.name] = false }
        object["properties"] = .object(properties)
        return .object(object)
    }

    private static func add(
        _ count: ClosedRange<Int>, _ suffix: String, to object: inout JSONObject
    ) {
        if count.lowerBound > 0 { object["min\(suffix)"] = .integer(Int64(count.lowerBound)) }
        if count.upperBound < 1_000_000 {
            object["max\(suffix)"] = .integer(Int64(count.upperBound))
        }
    }
}

extension TextRule {
    var schema: JSONValue {
        var object = JSONObject([("type", "string")])
        if let words, isOpen {
            object["description"] = .text(
                "Today one of \(words.joined(separator: ", ")); more may come.")
            object["examples"] = .array(words.map { .text($0) })
            return .object(object)
        }
        if let words {
            object["enum"] = .array(words.map { .text($0) })
            return .object(object)
        }
        if length.lowerBound > 0 { object["minLength"] = .integer(Int64(length.lowerBound)) }
        if length.upperBound < 1_000_000 {
            object["maxLength"] = .integer(Int64(length.upperBound))
        }
        // Weaker than the check, whose classes of characters not every regular expression knows.
        if mustShow { object["pattern"] = "\\S" }
        for member in format?.schema ?? JSONObject() { object[member.key] = member.value }
        return .object(object)
    }
}
