import Runtime

/// Where a job that arrived by plain SQL belongs.
public enum Placement: Sendable, Equatable {
    case lane(LaneID)
    case unknownKind
    case undecodable
}

/// Sorts lane 0: jobs that are known go to their lane, the others to the dead letter, and none of
/// them has had an attempt.
public struct IntakeHandler: JobHandler {
    private let place: @Sendable ([ClaimedJob]) async throws -> [Placement]
    private let moved: @Sendable (Set<LaneID>) -> Void

    /// - Parameters:
    ///   - place: one answer for each job, in order. When it throws, the jobs come back a little
    ///     later.
    ///   - moved: called with the lanes that got jobs.
    public init(
        place: @escaping @Sendable ([ClaimedJob]) async throws -> [Placement],
        moved: @escaping @Sendable (Set<LaneID>) -> Void = { _ in }
    ) {
        self.place = place
        self.moved = moved
    }

    public func work(_ batch: JobBatch, desk: JobDesk) async {
        defer { desk.release(batch) }
        do {
            let placements = try await place(batch.jobs)
            await move(zip(batch.jobs, placements), batch, desk)
        } catch {
            desk.log.error("intake cannot be sorted", ["error": "\(error)"])
            await desk.write(batch) { queue, deadline in
                try await queue.postpone(
                    batch.jobs.map {
                        Postponement(job: $0.held, wait: .seconds(5), countsAsAttempt: false)
                    }, deadline: deadline)
            }
        }
    }

    private func move(
        _ pairs: Zip2Sequence<[ClaimedJob], [Placement]>, _ batch: JobBatch, _ desk: JobDesk
    ) async {
        var moves: [(job: HeldJob, lane: LaneID)] = []
        var burials: [Burial] = []
        for (job, placement) in pairs {
            let reason: String
            switch placement {
            case .lane(let lane):
                moves.append((job.held, lane))
                continue
            case .unknownKind: reason = "unknown_kind"
            case .undecodable: reason = "undecodable"
            }
            desk.metrics.buried.add(1, placement == .unknownKind ? "" : job.kind, reason)
            desk.log.warning("job buried", ["job": .id(job.id), "reason": .text(reason)])
            burials.append(Burial(job: job.held, reason: reason, countsAsAttempt: false))
        }
        await desk.write(batch) { [moves] queue, deadline in
            try await queue.place(moves, deadline: deadline)
        }
        if !moves.isEmpty { moved(Set(moves.map(\.lane))) }
        await desk.write(batch) { [burials] queue, deadline in
            try await queue.bury(burials, deadline: deadline)
        }
    }
}
