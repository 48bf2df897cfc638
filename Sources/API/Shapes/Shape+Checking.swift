public import Alerts
public import JSON

extension Shape {
    /// Everything that is wrong with a value, in the order of the declaration.
    ///
    /// - Parameter pointer: where the value stands (RFC 6901); empty for the whole body.
    public func faults(in value: JSONValue, at pointer: String = "") -> [FieldFault] {
        switch self {
        case .text(let rule):
            guard let text = value.text else { return wrong(.type, "must be a text", pointer) }
            return rule.fault(in: text, at: pointer).map { [$0] } ?? []
        case .integer(let range):
            guard let number = value.integer else {
                return wrong(.type, "must be a whole number", pointer)
            }
            return range.contains(number) ? [] : wrong(.range, Self.bounds(range), pointer)
        case .number:
            return value.real == nil ? wrong(.type, "must be a number", pointer) : []
        case .bool:
            return value.bool == nil ? wrong(.type, "must be true or false", pointer) : []
        case .list(let element, let count):
            return Self.listFaults(value, element, count, pointer)
        case .object(let fields):
            return Self.objectFaults(value, fields, pointer)
        case .map(let keys, let values, let count):
            return Self.mapFaults(value, keys, values, count, pointer)
        case .nullable(let shape):
            return value.isNull ? [] : shape.faults(in: value, at: pointer)
        case .anything: return []
        case .named(_, let shape): return shape.faults(in: value, at: pointer)
        case .custom(_, let check): return check(value, pointer)
        }
    }

    private static func listFaults(
        _ value: JSONValue, _ element: Shape, _ count: ClosedRange<Int>, _ pointer: String
    ) -> [FieldFault] {
        guard let elements = value.array else { return fault(.type, "must be a list", pointer) }
        // A list of a million wrong elements is one fault, not a million.
        guard count.contains(elements.count) else {
            return fault(
                .length, "must have \(count.lowerBound) to \(count.upperBound) elements", pointer)
        }
        return elements.enumerated().flatMap { index, value in
            element.faults(in: value, at: "\(pointer)/\(index)")
        }
    }

    private static func objectFaults(
        _ value: JSONValue, _ fields: [Field], _ pointer: String
    ) -> [FieldFault] {
        guard let object = value.object else { return fault(.type, "must be an object", pointer) }
        return fields.flatMap { field in
            let place = pointer + JSONPointer.step(field.name)
            switch (field.presence, object[field.name]) {
            case (.required, nil): return fault(.required, "is required", place)
            case (.forbidden, .some): return fault(.notAllowed, "is not allowed here", place)
            case (_, nil): return []
            case (_, let value?): return field.shape.faults(in: value, at: place)
            }
        }
    }

    private static func mapFaults(
        _ value: JSONValue, _ keys: TextRule, _ values: Shape, _ count: ClosedRange<Int>,
        _ pointer: String
    ) -> [FieldFault] {
        guard let object = value.object else { return fault(.type, "must be an object", pointer) }
        guard count.contains(object.count) else {
            return fault(
                .length, "must have \(count.lowerBound) to \(count.upperBound) members", pointer)
        }
        return object.flatMap { member in
            let place = pointer + JSONPointer.step(member.key)
            return (keys.fault(in: member.key, at: place).map { [$0] } ?? [])
                + values.faults(in: member.value, at: place)
        }
    }

    private func wrong(
        _ code: FieldFault.Code, _ message: String, _ pointer: String
    ) -> [FieldFault] {
        Self.fault(code, message, pointer)
    }

    private static func fault(
        _ code: FieldFault.Code, _ message: String, _ pointer: String
    ) -> [FieldFault] {
        [FieldFault(pointer: pointer, code: code, message: message)]
    }

    private static func bounds(_ range: ClosedRange<Int64>) -> String {
        switch (range.lowerBound, range.upperBound) {
        case (let least, .max): "must be at least \(least)"
        case (.min, let most): "must be at most \(most)"
        case (let least, let most): "must be \(least) to \(most)"
        }
    }
}

extension TextRule {
    func fault(in text: String, at pointer: String) -> FieldFault? {
        if let words {
            return words.contains(text)
                ? nil
                : FieldFault(
                    pointer: pointer, code: .unknownValue,
                    message: "must be one of \(words.joined(separator: ", "))")
        }
        guard length.contains(text.unicodeScalars.count) else {
            return FieldFault(
                pointer: pointer, code: .length,
                message: length.lowerBound == 0
                    ? "must have at most \(length.upperBound) characters"
                    : "must have \(length.lowerBound) to \(length.upperBound) characters")
        }
        // As an empty one: what shows nothing is not there for whoever reads it.
        guard !mustShow || Text.visible(text) != nil else {
            return FieldFault(
                pointer: pointer, code: .length, message: "must have a character that can be seen")
        }
        guard format?.accepts(text) ?? true else {
            return FieldFault(
                pointer: pointer, code: .format, message: "must be \(format?.words ?? "valid")")
        }
        return nil
    }
}
