public import Values

/// Where a list goes on: behind the row of this time and id, at full precision. Times may be equal;
/// ids are not.
public struct Cursor<ID: Sendable>: Sendable {
    public let time: Timestamp
    public let id: ID

    public init(time: Timestamp, id: ID) {
        self.time = time
        self.id = id
    }
}

extension Cursor: Equatable where ID: Equatable {}

/// Which part of a list is wanted. Ask for one row more than is shown to know whether more follow.
public struct Page<ID: Sendable>: Sendable {
    public let limit: Int
    public let after: Cursor<ID>?

    public init(limit: Int, after: Cursor<ID>? = nil) {
        self.limit = limit
        self.after = after
    }
}
