import Jobs
import Storage

/// The results of a batch, sorted by the statement that writes them.
struct EndingSheet: Sendable {
    private(set) var ends: [PushEnd] = []
    private(set) var again: [Postponement] = []
    private(set) var burials: [Burial] = []
    private(set) var moves: [(job: HeldJob, lane: LaneID)] = []
    /// For the metrics: what became of each.
    private(set) var lines: [(job: HeldJob, outcome: String, reason: String)] = []

    init(_ endings: [PushEnding]) {
        for ending in endings {
            switch ending {
            case .ended(let end):
                ends.append(end)
                lines.append((end.job, end.outcome.rawValue, end.reason ?? ""))
            case .again(let postponement):
                again.append(postponement)
                let outcome = postponement.countsAsAttempt ? "retry" : "back"
                lines.append((postponement.job, outcome, postponement.reason ?? ""))
            case .buried(let burial):
                burials.append(burial)
                lines.append((burial.job, "dead", burial.reason))
            case .moved(let job, let lane):
                moves.append((job, lane))
                lines.append((job, "moved", ""))
            }
        }
    }
}
