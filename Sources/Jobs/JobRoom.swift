public import Values

/// What a handler can start now.
public struct JobRoom: Sendable, Equatable {
    /// A store that has had its turn: until then only other stores' jobs are claimed.
    public struct Rest: Sendable, Equatable {
        public let store: StoreID
        public let end: ContinuousClock.Instant

        public init(of store: StoreID, until end: ContinuousClock.Instant) {
            self.store = store
            self.end = end
        }
    }

    public static let unbounded = JobRoom(jobs: .max)

    public var jobs: Int
    public var rest: Rest?

    public init(jobs: Int, rest: Rest? = nil) {
        self.jobs = jobs
        self.rest = rest
    }
}
