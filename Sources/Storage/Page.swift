public import Values

/// Where a list goes on: behind the row of this time and id, at full precision. Times may be equal;
/// ids are not.
public struct Cursor<ID: Sendable>: Sendable {
    /// The time that the list is sorted by.
    public let time: Timestamp
    /// What decides between equal times.
    public let id: ID

    public init(time: Timestamp, id: ID) {
        self.time = time
        self.id = id
    }
}

extension Cursor: Equatable where ID: Equatable {}

/// Which part of a list is wanted. Ask for one row more than is shown to know whether more follow.
public struct Page<ID: Sendable>: Sendable {
    /// How many rows at most.
    public let limit: Int
    /// Nil: from the beginning.
    public let after: Cursor<ID>?

    public init(limit: Int, after: Cursor<ID>? = nil) {
        self.limit = limit
        self.after = after
    }
}
