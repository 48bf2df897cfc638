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
            desk.log.about(batch.jobs).error("intake cannot be sorted", ["error": "\(error)"])
            await desk.settle(
                batch.jobs.map { ($0, .snooze(.seconds(5))) }, of: batch, policy: Self.policy)
        }
    }

    /// Nothing is tried here.
    private static let policy = JobPolicy { _, _ in .zero }

    private func move(
        _ pairs: Zip2Sequence<[ClaimedJob], [Placement]>, _ batch: JobBatch, _ desk: JobDesk
    ) async {
        var moves: [(job: HeldJob, lane: LaneID)] = []
        var burials: [(ClaimedJob, JobVerdict)] = []
        var unknown: Set<JobID> = []
        for (job, placement) in pairs {
            switch placement {
            case .lane(let lane): moves.append((job.held, lane))
            case .unknownKind:
                unknown.insert(job.id)
                burials.append((job, .bury(reason: "unknown_kind", countsAsAttempt: false)))
            case .undecodable:
                burials.append((job, .bury(reason: "undecodable", countsAsAttempt: false)))
            }
        }
        await desk.write(batch) { [moves] queue, deadline in
            try await queue.place(moves, deadline: deadline)
        }
        if !moves.isEmpty { moved(Set(moves.map(\.lane))) }
        // A metric has no label of anybody's choice.
        await desk.settle(burials, of: batch, policy: Self.policy) { [unknown] job in
            unknown.contains(job.id) ? "" : job.kind
        }
    }
}
