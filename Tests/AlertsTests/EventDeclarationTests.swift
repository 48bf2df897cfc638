import Alerts
import JSON
import Testing
import Values

@Suite("The declaration of events")
struct EventDeclarationTests {
    @Test("the table has a row for every field, nested ones below their object")
    func table() {
        let rows = EventType.table.filter { $0["event"]?.text == "orders.paid" }
        #expect(
            rows.map { "\($0["path"]?.text ?? "") \($0["shape"]?.text ?? "")" } == [
                "/order_id uuid", "/number text", "/total object", "/total/amount amount",
                "/total/currency currency", "/customer_name text", "/customer_id uuid",
                "/channel choice",
            ])
        #expect(
            rows[3]
                == [
                    "event": "orders.paid", "path": "/total/amount", "parent": "/total",
                    "name": "amount", "shape": "amount", "required": true, "nullable": false,
                    "min": nil, "max": nil, "pattern": "^-?[0-9]{1,20}(\\.[0-9]{1,10})?$",
                    "words": nil,
                ])
        #expect(Set(EventType.table.compactMap { $0["event"]?.text }).count == EventType.all.count)
    }

    @Test("the schema says what the reader does")
    func schema() {
        let schema = EventType.conversationsAssigned.schema
        #expect(schema["properties"]?["type"] == ["const": "conversations.assigned"])
        #expect(
            schema["properties"]?["data"]
                == [
                    "type": "object", "required": ["conversation_id", "assignee_id"],
                    "properties": [
                        "conversation_id": ["type": "string", "format": "uuid"],
                        "assignee_id": ["type": ["string", "null"], "format": "uuid"],
                        "actor_id": ["type": ["string", "null"], "format": "uuid"],
                    ],
                ])
        #expect(EventType.anySchema["oneOf"]?.array?.count == EventType.all.count)
    }

    static let samples: [(String, String)] = [
        "0199c0b1-0000-7000-8000-000000000001", "0199C0B1-0000-7000-8000-00000000000F", "",
        "0199c0b1-0000-7000-8000-00000000000", "0199c0b1000070008000000000000001", "1234.56", "-1",
        "0.5", ".5", "5.", "1e5", "+1", "1,5", "12345678901234567890", "123456789012345678901",
        "0.1234567890", "0.12345678901", "BRL", "brl", "BRLL", "R$L", "2026-10-28T09:14:03Z",
        "2026-10-28t09:14:03.123456789+03:00", "2026-10-28 09:14:03-00:00", "2026-13-01T00:00:00Z",
        "2026-10-28T24:00:00Z", "2026-10-28T09:14:03", "2026-10-28", "2026-10-28T09:14:60Z",
        "2026-10-28T09:14:03.Z", "2026-10-28T09:14:03+24:00", " BRL", "BRL\n",
    ].flatMap { text in ["uuid", "amount", "currency", "time"].map { ($0, text) } }

    @Test("patterns for SQL and schemas accept what the reader accepts", arguments: samples)
    func patterns(shape: String, text: String) throws {
        let row = try #require(EventType.table.first { $0["shape"]?.text == shape })
        let pattern = try Regex(#require(row["pattern"]?.text))
        let reads =
            switch shape {
            case "uuid": UUID(text) != nil
            case "amount": Amount(text) != nil
            case "currency": Money.isCurrency(text)
            default: Timestamp(rfc3339: text) != nil
            }
        #expect((text.wholeMatch(of: pattern) != nil) == reads)
    }
}
