import Alerts
import Jobs
import Runtime
import Values
import Worker

/// A push that was handed to the provider.
struct Flight {
    let push: FlyingPush
    let number: Int
    let startedAt: Int64
    let deadline: Int64
    let leaseEnds: Int64
    let isProbe: Bool
    /// The outage in which it started.
    let outage: Int?
}

/// A result on its way into the table.
struct Landed {
    let ending: PushEnding
    let job: ClaimedJob
    let leaseEnds: Int64
    /// The outage that it was a failure of.
    var outage: Int?
    /// Before which it may not be tried again, as the provider said.
    var notBefore: Int64?
    /// True for an answer that was a retry: five of those bury.
    var isRetry = false

    var number: Int { Int(job.id.uuid.low) }
}

/// One worker: the real memory of its rounds and the real gate of its credential around what it
/// holds.
struct ModelWorker {
    struct Held {
        let batch: JobBatch
        let leaseEnds: Int64
        let claimedAt: Int64
    }

    static let credential = Credential(name: "apns", environment: "production")
    static let lanes = [
        Lane(id: LaneID(1), kind: "push.deliver", credential: credential, urgency: 10),
        Lane(id: LaneID(2), kind: "push.deliver", credential: credential, urgency: 60),
    ]

    var rounds = RunnerState(lanes: Self.lanes)
    var gate = ProviderGate()
    var batches: [Held] = []
    var flights: [Flight] = []
    var landed: [Landed] = []
    var edges: [(edge: ProviderGate.Edge, heard: Int64)] = []
    /// Until when it is stopped by a signal; it does nothing, and its connections stand.
    var frozenUntil: Int64 = 0
    /// Asked to end: it claims nothing, and gives back what has not started.
    var isStopping = false

    var inHand: Int {
        batches.reduce(0) { $0 + $1.batch.jobs.count } + flights.count + landed.count
    }

    var jobs: [ClaimedJob] {
        batches.flatMap(\.batch.jobs) + flights.map(\.push.job) + landed.map(\.job)
    }

    func isFrozen(_ now: Int64) -> Bool { frozenUntil > now }
}
