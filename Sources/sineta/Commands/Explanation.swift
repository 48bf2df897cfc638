import Alerts
import Jobs
import Postgres
import Storage
import Values

/// An alert in sentences: one of what happened, then one per person.
struct Explanation: Sendable {
    let record: AlertRecord
    let store: String
    let names: [UserID: String]
    let states: [PushID: PushState]
    /// Those of which lanes are closed now: nothing is claimed from them but a probe.
    let closed: [LaneID: LaneState]

    /// Reads all of it. Nil when there is no such alert.
    init?(_ alert: AlertID, in transaction: PostgresTransaction) throws(PostgresError) {
        guard let store = try AlertRecords.store(of: alert, in: transaction),
            let record = try AlertRecords.find(store, alert, in: transaction)
        else { return nil }
        self.init(
            record, store: try Stores.find(store, in: transaction)?.name ?? "\(store)",
            names: try CoverageFacts.names(
                store, of: record.decisions.map(\.user), in: transaction),
            states: try PushStates.load(store, record, in: transaction),
            closed: try Self.closed(
                JobQueue.lanes(in: transaction), JobQueue.states(in: transaction)))
    }

    init(
        _ record: AlertRecord, store: String, names: [UserID: String],
        states: [PushID: PushState], closed: [LaneID: LaneState] = [:]
    ) {
        self.record = record
        self.store = store
        self.names = names
        self.states = states
        self.closed = closed
    }

    private static func closed(_ lanes: [Lane], _ states: [LaneState]) -> [LaneID: LaneState] {
        var closed: [LaneID: LaneState] = [:]
        for lane in lanes {
            closed[lane.id] = states.first {
                $0.credential == lane.credential && $0.word != .open
            }
        }
        return closed
    }

    var lines: [String] { [happening] + record.decisions.map(sentence) }

    private var happening: String {
        let event =
            "\(record.eventType) of \(store): event \(record.externalID) happened at "
            + "\(record.occurredAt) and came in at \(record.receivedAt)"
        guard let decidedAt = record.decidedAt else { return "\(event); it is not decided yet." }
        let silence =
            if !record.isUnheard {
                ""
            } else if record.decisions.contains(where: \.verdict.isYes) {
                ", and has reached nobody"
            } else {
                ", for nobody"
            }
        return "\(event); it was decided at \(decidedAt)\(silence)."
    }

    private func sentence(about decision: MemberDecision) -> String {
        let name = names[decision.user] ?? "Somebody who left (\(decision.user))"
        let filter = decision.filter.map { " (\($0))" } ?? ""
        let devices = decision.devices.map(clause)
        if decision.verdict.isYes {
            return "\(name) \(fate(of: decision)): \(devices.joined(separator: "; "))."
        }
        let reason = "\(name) was not alerted: \(decision.verdict.reason.words)\(filter)"
        return ([reason] + devices).joined(separator: "; ") + "."
    }

    /// Only somebody of whose pushes a provider took one was alerted.
    private func fate(of decision: MemberDecision) -> String {
        let pushes = decision.devices.filter(\.verdict.isYes).map { device in
            device.push.flatMap { states[$0] }?.state
        }
        if pushes.contains(.accepted) { return "was alerted" }
        if pushes.contains(.waiting) || pushes.contains(.sending) { return "is being alerted" }
        return pushes.contains(nil)
            ? "was to be alerted" : "was to be alerted, and no push has reached them"
    }
}
