/// One step of the schema, forward only.
public struct Migration: Sendable, Hashable {
    /// From 1 and ascending; rooms keep to ranges of their own, so that there are gaps.
    public let number: Int
    /// A few words, for people.
    public let name: String
    /// One or many statements. They run in one transaction, so none may forbid that
    /// (`CREATE INDEX CONCURRENTLY`, `VACUUM`).
    public let sql: String

    public init(_ number: Int, _ name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
    }
}
