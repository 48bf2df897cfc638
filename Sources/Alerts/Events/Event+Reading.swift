public import JSON
import Values

extension Event {
    /// Reads one event and finds every fault at once.
    ///
    /// - Parameter pointer: where the event stands in the body, as `/events/3`; empty for the body.
    public static func read(
        _ value: JSONValue, at pointer: String = ""
    ) throws(FieldFaults) -> Event {
        var reader = EventReader()
        guard let object = value.object else {
            throw FieldFaults([
                FieldFault(pointer: pointer, code: .type, message: "must be an object")
            ])
        }
        let id = reader.id(object["id"], at: pointer + "/id")
        let type = reader.type(object["type"], at: pointer + "/type")
        let time = reader.read(object["occurred_at"], envelopeTime, at: pointer)
        let data = reader.data(object["data"], of: type, at: pointer + "/data")
        guard reader.faults.isEmpty, let id, let type, let data else {
            throw FieldFaults(reader.faults)
        }
        return Event(
            id: id, type: type, occurredAt: time?.text.flatMap { Timestamp(rfc3339: $0) },
            data: data)
    }

    static let envelopeTime = EventField.optional("occurred_at", .time)

    /// How many bytes a caller's id may have.
    public static let idLength = 1...200
}

/// Walks a declaration along a value and gathers faults.
struct EventReader {
    private(set) var faults: [FieldFault] = []

    mutating func id(_ value: JSONValue?, at pointer: String) -> String? {
        guard let value else { return fail(pointer, .required, "is required") }
        guard let id = value.text else { return fail(pointer, .type, "must be a string") }
        guard Event.idLength.contains(id.utf8.count) else {
            return fail(pointer, .length, "must have 1 to 200 bytes")
        }
        return id
    }

    mutating func type(_ value: JSONValue?, at pointer: String) -> EventType? {
        guard let value else { return fail(pointer, .required, "is required") }
        guard let name = value.text else { return fail(pointer, .type, "must be a string") }
        guard let type = EventType.named(name) else {
            return fail(pointer, .unknownValue, "is no known event type")
        }
        return type
    }

    /// The fields of a type. Without a type only the presence of `data` can be checked.
    mutating func data(
        _ value: JSONValue?, of type: EventType?, at pointer: String
    ) -> JSONObject? {
        guard let value else { return fail(pointer, .required, "is required") }
        guard let object = value.object else {
            return fail(pointer, .type, "must be an object")
        }
        return type.map { fields($0.fields, of: object, at: pointer) }
    }

    private mutating func fields(
        _ fields: [EventField], of object: JSONObject, at pointer: String
    ) -> JSONObject {
        var members: [JSONObject.Member] = []
        members.reserveCapacity(fields.count)
        for field in fields {
            if let value = read(object[field.name], field, at: pointer) {
                members.append(JSONObject.Member(key: field.name, value: value))
            }
        }
        return JSONObject(members)
    }

    /// The value of one field in its kept form; nil when it is absent or faulty.
    mutating func read(
        _ value: JSONValue?, _ field: EventField, at parent: String
    ) -> JSONValue? {
        guard let value else {
            if field.isRequired {
                fault("\(parent)/\(field.name)", .required, "is required")
            }
            return nil
        }
        if value.isNull, field.isNullable { return .null }
        return read(value, field.shape, at: "\(parent)/\(field.name)")
    }

    private mutating func read(
        _ value: JSONValue, _ shape: FieldShape, at pointer: String
    ) -> JSONValue? {
        switch shape {
        case .boolean:
            return value.bool == nil ? fail(pointer, .type, "must be true or false") : value
        case .integer(let range):
            guard let number = value.integer else {
                return fail(pointer, .type, "must be an integer")
            }
            return range.contains(number)
                ? value
                : fail(
                    pointer, .range, "must be from \(range.lowerBound) to \(range.upperBound)")
        case .object(let declared):
            guard let object = value.object else {
                return fail(pointer, .type, "must be an object")
            }
            return .object(fields(declared, of: object, at: pointer))
        case .text, .choice, .uuid, .amount, .currency, .time:
            guard let text = value.text else { return fail(pointer, .type, "must be a string") }
            return read(text, shape, at: pointer)
        }
    }

    private mutating func read(
        _ text: String, _ shape: FieldShape, at pointer: String
    ) -> JSONValue? {
        switch shape {
        case .text(let length):
            return length.contains(text.unicodeScalars.count)
                ? .text(text)
                : fail(
                    pointer, .length,
                    "must have \(length.lowerBound) to \(length.upperBound) characters")
        case .choice(let words):
            return words.contains(text)
                ? .text(text)
                : fail(pointer, .unknownValue, "must be one of \(words.joined(separator: ", "))")
        case .uuid:
            guard let uuid = UUID(text) else { return fail(pointer, .format, "must be a UUID") }
            return .text(uuid.description)
        case .amount:
            return Amount(text) == nil
                ? fail(pointer, .format, "must be a decimal as 1234.56") : .text(text)
        case .currency:
            return Money.isCurrency(text)
                ? .text(text)
                : fail(pointer, .format, "must be three capital letters of ISO 4217")
        case .time:
            guard let time = Timestamp(rfc3339: text) else {
                return fail(pointer, .format, "must be a time of RFC 3339")
            }
            return .text(time.rfc3339)
        case .integer, .boolean, .object:
            return fail(pointer, .type, "must not be a string")
        }
    }

    private mutating func fail<Value>(
        _ pointer: String, _ code: FieldFault.Code, _ message: String
    ) -> Value? {
        fault(pointer, code, message)
        return nil
    }

    private mutating func fault(_ pointer: String, _ code: FieldFault.Code, _ message: String) {
        faults.append(FieldFault(pointer: pointer, code: code, message: message))
    }
}
