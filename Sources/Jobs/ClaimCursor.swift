public import Values

/// From where the claims of one lane look, as a value that learns from each claim.
///
/// Rows of ended jobs stay at the head of the indexes until vacuum may take them, and one
/// transaction left open anywhere stops vacuum. So a claim starts at a *low bound*: the lowest tag
/// claimed of late, and the time of the last scan for due jobs. Every `fullInterval` it looks at
/// everything once, which finds what took its tag early and committed late.
public struct ClaimCursor: Sendable, Equatable {
    /// What one claim may look at.
    public struct Bounds: Sendable, Equatable {
        /// The lowest tag to take; 0 for all.
        public var lowTag: Int64
        /// The time after which a due job must be; nil for all.
        public var dueFrom: Timestamp?
        /// The same for suspects.
        public var suspectsFrom: Timestamp?
        public var isFull: Bool

        public init(
            lowTag: Int64, dueFrom: Timestamp?, suspectsFrom: Timestamp? = nil, isFull: Bool
        ) {
            self.lowTag = lowTag
            self.dueFrom = dueFrom
            self.suspectsFrom = suspectsFrom
            self.isFull = isFull
        }
    }

    /// How a claim went.
    public struct Answer: Sendable, Equatable {
        /// The lowest tag of the ready jobs it took; nil when it took none.
        public var lowestTag: Int64?
        /// True when it took as many due jobs as it may: others may stand behind them.
        public var dueWasFull: Bool
        /// True when it looked for suspects in this lane and there was none. One that it took, or
        /// did not look for, leaves others that may wait.
        public var hadNoSuspects: Bool
        /// The database's time during the claim.
        public var databaseTime: Timestamp
        public var took: Duration

        public init(
            lowestTag: Int64?, dueWasFull: Bool, hadNoSuspects: Bool = true,
            databaseTime: Timestamp, took: Duration
        ) {
            self.lowestTag = lowestTag
            self.dueWasFull = dueWasFull
            self.hadNoSuspects = hadNoSuspects
            self.databaseTime = databaseTime
            self.took = took
        }
    }

    /// Between full claims, as long as they are quick.
    public static let fullInterval = Duration.seconds(2)
    /// Between full claims when one took longer than `slow`, and far longer than the last one
    /// within bounds: dead rows lie at the head. When both are slow it is the machine that is busy,
    /// and then most jobs commit late and lie below the bounds.
    public static let stretchedInterval = Duration.seconds(30)
    public static let slow = Duration.milliseconds(50)
    public static let farLonger = 4
    /// A tag claimed within this time still bounds: a job that took its tag before that claim may
    /// commit after it, and must not wait for the next full claim. While a store floods, deciding
    /// 200 alerts of it takes some tenths of a second from the tags to the commit.
    public static let memory = Duration.seconds(1)
    /// What clocks of transactions may differ by, for due jobs.
    public static let dueOverlap = Duration.seconds(5)

    private var recent: [(at: ContinuousClock.Instant, tag: Int64)] = []
    private var dueFrom: Timestamp?
    private var suspectsFrom: Timestamp?
    private var nextFull: ContinuousClock.Instant?
    /// How long the last claim within bounds took.
    private var bounded: Duration?
    /// True while full claims are slow, for the metric of bloat.
    public private(set) var isStretched = false

    public init() {}

    public func bounds(at now: ContinuousClock.Instant) -> Bounds {
        guard let nextFull, now < nextFull else {
            return Bounds(lowTag: 0, dueFrom: nil, isFull: true)
        }
        return Bounds(
            lowTag: lowTag, dueFrom: dueFrom, suspectsFrom: suspectsFrom, isFull: false)
    }

    /// For a claim that looks for ready jobs alone: never for everything.
    var boundsOfReady: Bounds { Bounds(lowTag: lowTag, dueFrom: nil, isFull: false) }

    private var lowTag: Int64 { recent.map(\.tag).min() ?? 0 }

    /// - Parameter jitter: a random number in 0..<1, so that workers do not look all at once.
    public mutating func learn(
        _ answer: Answer, of bounds: Bounds, at now: ContinuousClock.Instant, jitter: Double
    ) {
        if let tag = answer.lowestTag {
            // The newest of the old ones stays: it is the bound when nothing came for a while.
            if let last = recent.lastIndex(where: { now - $0.at > Self.memory }) {
                recent.removeFirst(last)
            }
            recent.append((now, tag))
            if recent.count > 64 { thin() }
        }
        if !answer.dueWasFull {
            dueFrom = answer.databaseTime - Self.dueOverlap
        } else if bounds.isFull {
            dueFrom = nil
        }
        if answer.hadNoSuspects {
            suspectsFrom = answer.databaseTime - Self.dueOverlap
        } else if bounds.isFull {
            suspectsFrom = nil
        }
        guard bounds.isFull else {
            bounded = answer.took
            return
        }
        isStretched = answer.took > max(Self.slow, (bounded ?? .zero) * Self.farLonger)
        let interval = isStretched ? Self.stretchedInterval : Self.fullInterval
        nextFull = now + interval * (0.75 + jitter / 2)
    }

    /// After a pause, a breaker or an error nothing is known: the next claim looks at everything.
    public mutating func forget() {
        self = ClaimCursor()
    }

    /// Joins neighbours, so that the list stays short however quick the claims are.
    private mutating func thin() {
        recent = stride(from: 0, to: recent.count, by: 2).map { index in
            let pair = recent[index..<min(index + 2, recent.count)]
            let tag = pair.map(\.tag).min() ?? 0
            return (pair[pair.endIndex - 1].at, tag)
        }
    }

    public static func == (left: ClaimCursor, right: ClaimCursor) -> Bool {
        left.dueFrom == right.dueFrom && left.suspectsFrom == right.suspectsFrom
            && left.nextFull == right.nextFull
            && left.isStretched == right.isStretched && left.bounded == right.bounded
            && left.recent.elementsEqual(right.recent) { $0 == $1 }
    }
}
