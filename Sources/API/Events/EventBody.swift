import Alerts
import JSON

/// What was posted: one event, or up to 500 of them.
struct EventBody {
    /// One of a batch that is refused alone.
    struct Refusal {
        let id: String?
        let faults: FieldFaults
    }

    let isBatch: Bool
    let items: [Result<Event, Refusal.Fault>]

    static let batchLimit = 500

    /// Only the frame: each event is read where it is needed, once.
    static let shape = BodyShape(
        .custom(
            schema: [
                "oneOf": [
                    EventType.anySchema,
                    [
                        "type": "object", "required": ["events"],
                        "properties": [
                            "events": [
                                "type": "array", "minItems": 1,
                                "maxItems": .integer(Int64(batchLimit)),
                                "items": ["type": "object"],
                            ]
                        ],
                    ],
                ]
            ],
            check: { value, pointer in
                value.object == nil
                    ? [FieldFault(pointer: pointer, code: .type, message: "must be an object")]
                    : []
            }))

    /// - Throws: 422 for a faulty single event, or a batch that is none.
    init(_ body: Body) throws {
        let value = try body.value
        guard let events = value["events"] else {
            isBatch = false
            items = [.success(try Event.read(value))]
            return
        }
        guard let list = events.array else {
            throw Problem.invalid("/events", .type, "must be a list")
        }
        guard (1...Self.batchLimit).contains(list.count) else {
            throw Problem.invalid(
                "/events", .length, "must have 1 to \(Self.batchLimit) elements")
        }
        isBatch = true
        items = list.enumerated().map { index, value in
            Result { () throws(Refusal.Fault) in try Self.read(value, index) }
        }
    }

    private static func read(_ value: JSONValue, _ index: Int) throws(Refusal.Fault) -> Event {
        do throws(FieldFaults) {
            return try Event.read(value, at: "/events/\(index)")
        } catch {
            throw Refusal.Fault(refusal: Refusal(id: value["id"]?.text, faults: error))
        }
    }

    /// The events that can be taken.
    var events: [Event] { items.compactMap { try? $0.get() } }
}

extension EventBody.Refusal {
    struct Fault: Error {
        let refusal: EventBody.Refusal
    }
}
