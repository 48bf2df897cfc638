import Alerts
import Postgres
import Storage
import Values

/// An alert in sentences: one of what happened, then one per person.
struct Explanation: Sendable {
    let record: AlertRecord
    let store: String
    let names: [UserID: String]
    let states: [PushID: PushState]

    /// Reads all of it. Nil when there is no such alert.
    init?(_ alert: AlertID, in transaction: PostgresTransaction) throws(PostgresError) {
        guard let store = try AlertRecords.store(of: alert, in: transaction),
            let record = try AlertRecords.find(store, alert, in: transaction)
        else { return nil }
        self.init(
            record, store: try Stores.find(store, in: transaction)?.name ?? "\(store)",
            names: try CoverageFacts.names(
                store, of: record.decisions.map(\.user), in: transaction),
            states: try PushStates.load(store, record, in: transaction))
    }

    init(
        _ record: AlertRecord, store: String, names: [UserID: String],
        states: [PushID: PushState]
    ) {
        self.record = record
        self.store = store
        self.names = names
        self.states = states
    }

    var lines: [String] { [happening] + record.decisions.map(sentence) }

    private var happening: String {
        let event =
            "\(record.eventType) of \(store): event \(record.externalID) happened at "
            + "\(record.occurredAt) and came in at \(record.receivedAt)"
        guard let decidedAt = record.decidedAt else { return "\(event); it is not decided yet." }
        let silence = record.isUnheard ? ", for nobody" : ""
        return "\(event); it was decided at \(decidedAt)\(silence)."
    }

    private func sentence(about decision: MemberDecision) -> String {
        let name = names[decision.user] ?? "Somebody who left (\(decision.user))"
        let filter = decision.filter.map { " (\($0))" } ?? ""
        let devices = decision.devices.map(clause)
        if decision.verdict.isYes {
            return "\(name) was alerted: \(devices.joined(separator: "; "))."
        }
        let reason = "\(name) was not alerted: \(decision.verdict.reason.words)\(filter)"
        return ([reason] + devices).joined(separator: "; ") + "."
    }

    private func clause(about device: DeviceDecision) -> String {
        let what = "the \(device.transport?.rawValue ?? "") device \(device.device)"
        guard device.verdict.isYes else {
            return "\(what) got nothing, \(device.verdict.reason.words)"
        }
        guard let state = device.push.flatMap({ states[$0] }) else {
            return "what became of the push to \(what) is no longer kept"
        }
        let attempts = state.attempts.map(phrase)
        let tried = attempts.isEmpty ? "" : " (\(attempts.joined(separator: ", ")))"
        return "\(what) \(end(of: state))\(tried)"
    }

    private func end(of state: PushState) -> String {
        let reason = state.reason.map { Reason(rawValue: $0).words } ?? "no reason is known"
        return switch state.state {
        case .waiting:
            state.nextAttemptAt.map { "waits until \($0)" } ?? "waits for its turn"
        case .sending: "is being sent to"
        case .accepted: "was accepted by its provider"
        case .rejected: "was rejected by its provider: \(reason)"
        case .expired: "got nothing, since its time was over"
        case .suppressed: "got nothing: when it was to be sent, \(reason)"
        case .dead: "got nothing, and nothing more is tried: \(reason)"
        }
    }

    private func phrase(about attempt: PushState.Attempt) -> String {
        let words = [
            attempt.status.map { "\($0)" } ?? "no answer", attempt.reason,
            attempt.providerMessageID.map { "as \($0)" },
        ].compactMap(\.self)
        return "\(attempt.at) \(words.joined(separator: " "))"
    }
}
