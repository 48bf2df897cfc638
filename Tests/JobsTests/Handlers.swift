import Jobs
import Postgres
import Runtime
import Values

/// Who ended which job, and whether any was ended twice.
final class Ledger: Sendable {
    private struct State {
        var ended: Set<JobID> = []
        var twice: [JobID] = []
    }

    private let expected: Int
    private let state = Lock(State())
    private let bell = JobBell()

    init(expecting expected: Int = 0) {
        self.expected = expected
    }

    var ended: Set<JobID> { state.withLock { $0.ended } }
    var endedTwice: [JobID] { state.withLock { $0.twice } }

    func end(_ ids: some Sequence<JobID>) {
        state.withLock { state in
            for id in ids where !state.ended.insert(id).inserted { state.twice.append(id) }
        }
        bell.ring()
    }

    func wait(for count: Int) async {
        let deadline = Deadline.after(.seconds(120))
        while ended.count < count, !deadline.hasPassed {
            await bell.wait(until: .after(.milliseconds(100)))
        }
    }

    /// Returns once nothing is alive any more, or after two minutes.
    func whenComplete(watching bench: Bench) async {
        let deadline = Deadline.after(.seconds(120))
        while !deadline.hasPassed {
            let enough = ended.count >= expected - expected / 50
            if enough, let alive = try? await bench.alive, alive == 0, ended.count > 0 { return }
            await bell.wait(until: .after(.milliseconds(50)))
        }
    }
}

/// Works as workers in trouble do: forgets batches, stalls past the lease, fails jobs.
struct FlakyHandler: JobHandler {
    let ledger: Ledger
    var faults = true

    func work(_ batch: JobBatch, desk: JobDesk) async {
        defer { desk.release(batch) }
        let chance = faults ? Int.random(in: 0..<100) : 100
        if chance < 3 { return }
        if chance < 6 {
            // Past the lease, as a process that was stopped: what it then writes is fenced.
            try? await Task.sleep(
                until: batch.leaseEnds.instant + .milliseconds(50), clock: .continuous)
        }
        let failed = faults ? Set(batch.jobs.filter { _ in .random(in: 0..<5) == 0 }.map(\.id)) : []
        let done = batch.jobs.filter { !failed.contains($0.id) || $0.attempts > 3 }
        let retried = batch.jobs.filter { failed.contains($0.id) && $0.attempts <= 3 }
        let deadline = Deadline.after(.seconds(20))
        let ended = try? await desk.queue.finish(done.map(\.held), deadline: deadline)
        ledger.end(ended ?? [])
        _ = try? await desk.queue.postpone(
            retried.map {
                Postponement(job: $0.held, wait: .milliseconds(20), countsAsAttempt: true)
            }, deadline: deadline)
    }
}

/// A process that dies of one job: whatever it has in hand when that comes is not written back.
final class PoisonedHandler: JobHandler {
    private let ledger: Ledger
    private let poison: JobID
    private let suspects = Lock((now: 0, most: 0))

    init(ledger: Ledger, poison: JobID) {
        self.ledger = ledger
        self.poison = poison
    }

    var suspectsAtOnce: Int { suspects.withLock { $0.most } }

    func work(_ batch: JobBatch, desk: JobDesk) async {
        let count = batch.jobs.count { $0.losses >= 2 }
        suspects.withLock { suspects in
            suspects.now += count
            suspects.most = max(suspects.most, suspects.now)
        }
        if batch.jobs.contains(where: { $0.id == poison }) {
            // The next process starts when this one's lease is over.
            try? await Task.sleep(
                until: batch.leaseEnds.instant + .milliseconds(20), clock: .continuous)
        } else {
            let ended = try? await desk.queue.finish(
                batch.jobs.map(\.held), deadline: .after(.seconds(20)))
            ledger.end(ended ?? [])
        }
        suspects.withLock { $0.now -= count }
        desk.release(batch)
    }
}

/// Counts how many jobs are in hand at once.
final class CountingHandler: JobHandler {
    let ledger = Ledger()
    private let counts = Lock((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func work(_ batch: JobBatch, desk: JobDesk) async {
        counts.withLock { counts in
            counts.now += batch.jobs.count
            counts.most = max(counts.most, counts.now)
        }
        await Task.yield()
        let ended = try? await desk.queue.finish(
            batch.jobs.map(\.held), deadline: .after(.seconds(20)))
        counts.withLock { $0.now -= batch.jobs.count }
        desk.release(batch)
        ledger.end(ended ?? [])
    }
}

/// Holds its jobs until it is told to let go.
struct HeldHandler: JobHandler {
    let arrived = JobBell()
    let letGo = JobBell()

    func work(_ batch: JobBatch, desk: JobDesk) async {
        arrived.ring()
        await letGo.wait(until: .after(.seconds(60)))
        await desk.write(batch) { queue, deadline in
            try await queue.finish(batch.jobs.map(\.held), deadline: deadline)
        }
        desk.release(batch)
    }
}

/// Its first two writes lose against another transaction.
final class ConflictedHandler: JobHandler {
    let ledger = Ledger()
    private let pool: PostgresPool
    private let tries = Lock(0)

    init(pool: PostgresPool) {
        self.pool = pool
    }

    func work(_ batch: JobBatch, desk: JobDesk) async {
        let ended = await desk.write(batch) { [tries, pool] queue, deadline in
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            switch number {
            case 1:
                _ = try await pool.query(
                    "do $$ begin raise exception using errcode = '40P01'; end $$",
                    deadline: deadline)
            case 2:
                _ = try await pool.query(
                    "do $$ begin raise exception using errcode = '40001'; end $$",
                    deadline: deadline)
            default: break
            }
            return try await queue.finish(batch.jobs.map(\.held), deadline: deadline)
        }
        desk.release(batch)
        ledger.end(ended ?? [])
    }
}
