import Alerts
import Testing
import Values

@Suite("Whether an event is worth an alert")
struct RaisingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var type = "orders.paid"
        var data: String?
        var change: @Sendable (inout RaisingFacts) -> Void = { _ in }
        var age: Duration = .zero
        let expected: Raising

        var testDescription: String { name }
    }

    static let bare = #"{"conversation_id":"\#(Fixtures.conversation)"}"#

    static let cases: [Case] = [
        Case(name: "first time for an order", expected: .alert(.ordersPaid)),
        Case(
            name: "again for an order", change: { $0.isMarked = true },
            expected: .none(.alreadyRaised)),
        Case(name: "an hour old", age: .seconds(3600), expected: .alert(.ordersPaid)),
        Case(name: "older than an hour", age: .seconds(3601), expected: .none(.tooOld)),
        Case(
            name: "stock at the threshold", type: "inventory.stock_changed",
            change: { $0.threshold = 3 }, expected: .alert(.inventoryLowStock)),
        Case(
            name: "stock above the threshold", type: "inventory.stock_changed",
            change: { $0.threshold = 2 }, expected: .none(.aboveThreshold)),
        Case(
            name: "stock already alerted today", type: "inventory.stock_changed",
            change: { $0.alertedToday = true }, expected: .none(.alreadyToday)),
        Case(
            name: "stock that is older than what is known", type: "inventory.stock_changed",
            change: { $0.isStale = true }, expected: .none(.stale)),
        Case(
            name: "a message while the bot answers", type: "conversations.message_received",
            change: { $0.botEnabled = true }, expected: .none(.botOn)),
        Case(
            name: "a message that alerted before", type: "conversations.message_received",
            change: { $0.isMarked = true }, expected: .none(.alreadyRaised)),
        Case(
            name: "a start", type: "conversations.started",
            expected: .alert(.conversationsStarted)),
        Case(
            name: "a hand-over, whatever else", type: "conversations.handed_over",
            change: {
                $0.botEnabled = true
                $0.isMarked = true
            }, expected: .alert(.conversationsHandedOver)),
        Case(
            name: "an assignment, bot or not", type: "conversations.assigned",
            change: { $0.botEnabled = true }, expected: .alert(.conversationsAssigned)),
        Case(
            name: "an assignment to nobody", type: "conversations.assigned",
            data: #"{"conversation_id":"\#(Fixtures.conversation)","assignee_id":null}"#,
            expected: .none(.noAssignee)),
        Case(
            name: "a read mark", type: "conversations.read", data: bare, expected: .none(.noAlert)),
        Case(name: "a close", type: "conversations.closed", data: bare, expected: .none(.noAlert)),
        Case(
            name: "a reopening", type: "conversations.reopened", data: bare,
            expected: .none(.noAlert)),
    ]

    @Test("the first reason against it is given, else its kind", arguments: cases)
    func decides(row: Case) throws {
        let data = try row.data ?? #require(Fixtures.data[row.type])
        let read = try Fixtures.event(row.type, data)
        let event = Event(
            id: read.id, type: read.type, occurredAt: Fixtures.time - row.age, data: read.data)
        var facts = RaisingFacts(receivedAt: Fixtures.time)
        row.change(&facts)
        #expect(Raising.decide(event, facts) == row.expected)
    }
}
