import Alerts
import JSON
import Postgres
import Storage
import Values

extension EventPost {
    /// Does everything but the last step of it, and undoes it.
    func tried(_ call: Call, _ entrance: Entrance, _ store: StoreID) async throws -> Answer {
        try await entrance.enter { _, _ in }
        let body = try EventBody(call.body)
        try call.charge(services.limits.events, to: store.uuid, cost: body.items.count)
        let events = body.events.compactMap { event in
            IngestEvent(
                store: store, id: EventID(.v7(at: call.now)), event: event,
                receivedAt: call.now, maxAge: parts.alertMaxAge)
        }
        let found = try await entrance.enterUndone { caller, transaction in
            let lines = try DryRun.run(
                events, in: transaction, isConfigured: parts.isConfigured)
            var names: [UserID: String] = [:]
            if caller.may(.alertsRead, in: store) {
                names = try CoverageFacts.names(
                    store, of: lines.flatMap { $0.raised?.decisions.map(\.user) ?? [] },
                    in: transaction)
            }
            return Found(lines: lines, names: names)
        }
        return try answer(body, found, now: call.now)
    }

    /// What was found out.
    private struct Found: Sendable {
        let lines: [DryRunLine]
        let names: [UserID: String]
    }

    private func answer(_ body: EventBody, _ found: Found, now: Timestamp) throws -> Answer {
        let answer = DryRunAnswer(parts: parts, now: now, names: found.names)
        var writer = JSONWriter(reserving: 4096)
        guard body.isBatch else {
            if let line = found.lines.first { try answer.write(line, to: &writer) }
            return Answer(status: 200, content: .json(writer.bytes))
        }
        var rest = found.lines[...]
        writer.beginObject()
        writer.key("events")
        writer.beginArray()
        for item in body.items {
            switch item {
            case .success: if let line = rest.popFirst() { try answer.write(line, to: &writer) }
            case .failure(let fault):
                EventShapes.write(fault.refusal.id, fault.refusal.faults, to: &writer)
            }
        }
        writer.endArray()
        writer.endObject()
        return Answer(status: 200, content: .json(writer.bytes))
    }
}
