public import JSON
public import Storage
public import Values

/// The part of a list that is asked for.
public struct PageQuery: Sendable {
    /// At most so many elements.
    public let limit: Int
    private let after: Cursor<UUID>?
    private let signer: CursorSigner
    private let list: String

    static let parameters = [
        QueryParameter("limit", .integer(1...200), "At most so many; 50 when absent."),
        QueryParameter(
            "after", .text(TextRule(length: 0...1_000_000)), "`next` of the page before."),
    ]

    init(_ query: QueryValues, list: String, signer: CursorSigner) throws(Problem) {
        limit = query.integer("limit").map { Int($0) } ?? 50
        self.signer = signer
        self.list = list
        guard let text = query.text("after") else {
            after = nil
            return
        }
        guard let cursor = signer.open(text, list: list) else { throw Problem(.invalidCursor) }
        after = cursor
    }

    /// The page as the database is asked for it, by ids of one kind: one row more than is shown
    /// tells whether more follow.
    public func of<Subject>(
        _ subject: Subject.Type = Subject.self
    ) -> Page<ID<Subject>> {
        Page(
            limit: limit + 1, after: after.map { Cursor(time: $0.time, id: ID<Subject>($0.id)) })
    }

    /// The same of rows whose ids are of no kind.
    public var ofRows: Page<UUID> { Page(limit: limit + 1, after: after) }

    /// The answer of a page.
    ///
    /// - Parameters:
    ///   - rows: `limit + 1` of them when there are more, in the order of the list.
    ///   - cursor: where an element stands.
    public func answer<Row>(
        _ rows: [Row], cursor: (Row) -> Cursor<UUID>, write: (Row, inout JSONWriter) throws -> Void
    ) rethrows -> Answer {
        var writer = JSONWriter(reserving: 4096)
        writer.beginObject()
        writer.key("data")
        writer.beginArray()
        for row in rows.prefix(limit) { try write(row, &writer) }
        writer.endArray()
        writer.key("next")
        if rows.count > limit {
            writer.string(signer.seal(cursor(rows[limit - 1]), list: list))
        } else {
            writer.null()
        }
        writer.endObject()
        return Answer(status: 200, content: .json(writer.bytes))
    }
}
