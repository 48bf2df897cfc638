package import Values

/// What a runner may claim next.
package struct JobRoom: Sendable, Equatable {
    /// A store that has had its turn.
    package struct Rest: Sendable, Equatable {
        package let store: StoreID
        /// Until then other stores' jobs alone are claimed, unless the bell rings and it is over.
        package let end: ContinuousClock.Instant
    }

    /// So many jobs at most; none when it is 0.
    package var jobs: Int
    package var rest: Rest?

    package init(jobs: Int, rest: Rest? = nil) {
        self.jobs = jobs
        self.rest = rest
    }
}
