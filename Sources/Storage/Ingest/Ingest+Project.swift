import Alerts
import Postgres
import Values

extension Ingest {
    /// Writes what the fresh events say, and reads what the repeated ones were answered, in as few
    /// round trips as the most often named thing needs: one, when no thing is named twice.
    static func project(
        _ events: [IngestEvent], duplicates: [IngestEvent], in transaction: PostgresTransaction
    ) throws(PostgresError) -> Answers {
        var answers = Answers()
        var orders: [OrderUpserts.Item] = []
        var stock: [StockUpserts.Item] = []
        var conversations: [ConversationUpserts.Item] = []
        for event in events {
            answers.answers[key(of: event)] = Answers.Answer(
                id: event.id, reason: event.knownReason?.rawValue)
            switch event.content {
            case .order(let content): orders.append(.init(event: event, content: content))
            case .stock(let content): stock.append(.init(event: event, content: content))
            case .conversation(let content):
                conversations.append(.init(event: event, content: content))
            }
        }
        let orderWaves = waves(orders) { $0.key }
        let stockWaves = waves(stock) { $0.key }
        let conversationWaves = waves(conversations) { $0.key }
        let count = max(
            orderWaves.count, stockWaves.count, conversationWaves.count, duplicates.isEmpty ? 0 : 1)
        for number in 0..<count {
            var round = Round()
            if number == 0, !duplicates.isEmpty { round.add(duplicateQuery(duplicates)) }
            let firstOrder = round.add(orderWaves[checked: number], OrderUpserts.query)
            let firstStock = round.add(stockWaves[checked: number], StockUpserts.query)
            let firstConversation = round.add(
                conversationWaves[checked: number], ConversationUpserts.queries)
            let rows = try transaction.pipeline(round.queries)
            if number == 0, !duplicates.isEmpty { try answers.add(duplicates, rows[0]) }
            if let items = orderWaves[checked: number] {
                try answers.add(
                    items.map(\.event), OrderUpserts.reasons(items, rows[firstOrder]))
            }
            if let items = stockWaves[checked: number] {
                try answers.add(
                    items.map(\.event), StockUpserts.reasons(items, rows[firstStock]))
            }
            if let items = conversationWaves[checked: number] {
                try answers.add(
                    items.map(\.event), ConversationUpserts.reasons(items, rows[firstConversation])
                )
            }
        }
        return answers
    }

    /// Splits items so that no wave names a key twice and each key's items keep their order: one
    /// INSERT … ON CONFLICT can not touch a row twice.
    static func waves<Item>(_ items: [Item], key: (Item) -> SubjectKey) -> [[Item]] {
        var seen: [SubjectKey: Int] = [:]
        var waves: [[Item]] = []
        for item in items {
            let number = seen[key(item), default: 0]
            seen[key(item)] = number + 1
            if number == waves.count { waves.append([]) }
            waves[number].append(item)
        }
        return waves
    }

    private static func duplicateQuery(_ events: [IngestEvent]) -> PostgresQuery {
        PostgresQuery(
            duplicateSQL, .ids(events.lazy.map(\.store)), .texts(events.map(\.event.id)))
    }

    private static let duplicateSQL: StaticSQL = """
        select e.store_id, e.external_id, e.id, e.reason
        from unnest($1::uuid[], $2::text[]) u (store_id, external_id)
        join sineta.events e on e.store_id = u.store_id and e.external_id = u.external_id
        """

    /// The statements of one round trip.
    private struct Round {
        var queries: [PostgresQuery] = []

        mutating func add(_ query: PostgresQuery) { queries.append(query) }

        /// Where the rows of the statement will be.
        mutating func add<Item>(_ items: [Item]?, _ query: ([Item]) -> PostgresQuery) -> Int {
            add(items) { [query($0)] }
        }

        mutating func add<Item>(_ items: [Item]?, _ queries: ([Item]) -> [PostgresQuery]) -> Int {
            let position = self.queries.count
            if let items { self.queries += queries(items) }
            return position
        }
    }
}

extension Ingest.Answers {
    fileprivate mutating func add(
        _ events: [IngestEvent], _ reasons: [NoAlertReason?]
    ) {
        for (event, reason) in zip(events, reasons) {
            answers[Ingest.key(of: event)]?.reason = reason?.rawValue
        }
    }

    fileprivate mutating func add(
        _ duplicates: [IngestEvent], _ rows: PostgresRows
    ) throws(PostgresError) {
        for row in rows {
            let key = SubjectKey(store: try row.id(0), id: try row.text(1))
            answers[key] = Answer(id: try row.id(2), reason: try row.optionalText(3))
        }
    }
}

extension Array {
    fileprivate subscript(checked index: Int) -> Element? {
        indices.contains(index) ? self[index] : nil
    }
}
