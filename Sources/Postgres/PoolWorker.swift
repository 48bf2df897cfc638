import Runtime
import Values

/// One thread of a pool and the one connection it holds.
final class PoolWorker {
    private let core: PoolCore
    private var connection: Connection?

    init(_ core: PoolCore) {
        self.core = core
    }

    func work() {
        while true {
            switch core.next(connection) {
            case .run(let job, let suspectSince): run(job, suspectSince)
            case .connect(let generation, let host): connect(generation, from: host)
            case .discard: connection = nil
            case .end:
                connection = nil
                return
            }
        }
    }

    private func connect(_ generation: Int, from host: Int) {
        let hosts = core.configuration.hosts.count
        let deadline = Deadline.after(core.configuration.connectTimeout * hosts)
        do throws(PostgresError) {
            let opened = try Connection.open(core.configuration, first: host, deadline: deadline)
            opened.generation = generation
            core.connected(to: opened.host)
            connection = opened
        } catch {
            core.failedToConnect(error)
        }
    }

    private func run(_ job: PoolJob, _ suspectSince: ContinuousClock.Instant?) {
        guard let connection else { return }
        if job.deadline.hasPassed { return job.run(.failure(.poolTimeout)) }
        guard isSound(connection, job.deadline, suspectSince) else {
            core.putBack(job)
            return settle(connection)
        }
        core.metrics?.acquire.observe(
            (ContinuousClock.now - job.since).secondsAsDouble, core.name)
        job.run(.success(connection)) { settle(connection) }
    }

    /// A connection that the server closed while it lay idle, or that has said nothing since
    /// another went silent, is found out before work is given to it.
    private func isSound(
        _ connection: Connection, _ deadline: Deadline, _ suspectSince: ContinuousClock.Instant?
    ) -> Bool {
        guard connection.isStillOpen() else { return false }
        guard let suspectSince, connection.lastAnswer < suspectSince else { return true }
        return connection.probe(deadline: min(deadline, .after(.seconds(1))))
    }

    /// Keeps the connection or lets it go, as its last use demands.
    private func settle(_ connection: Connection) {
        if connection.sawServerGone {
            core.dropAll(of: connection.generation, connection.lostError)
        }
        guard connection.isBroken || connection.isRetired || !connection.isIdle else { return }
        core.lost(timedOut: connection.hasTimedOut)
        self.connection = nil
    }
}
