public import Runtime

/// Hears NOTIFY on a connection of its own, which a heartbeat proves alive and which is made anew
/// when it dies.
///
/// A notification is a hint and can be lost, so who listens looks by itself from time to time too.
/// Behind a transaction pooler there is nothing to hear: the service then waits for the end.
public final class PostgresListener: Service {
    /// What a subscriber hears.
    public enum Event: Sendable, Equatable {
        /// LISTEN stands, for the first time or again: anything may have been missed before.
        case connected
        /// Somebody notified the topic.
        case notified(payload: String)
    }

    /// Called on the listener's thread; must return at once.
    public typealias Action = @Sendable (Event) -> Void

    public let name = "postgres-listener"
    private let configuration: PostgresConfiguration
    private let heartbeat: Duration
    private let log: Log
    private let subscribers: [(topic: String, action: Action)]

    /// - Parameters:
    ///   - heartbeat: after how long a silence the server is asked for a sign of life; it has as
    ///     long again to give it.
    ///   - subscribers: by topic. Each is called on the listener's thread and must return at once.
    public init(
        _ configuration: PostgresConfiguration, heartbeat: Duration = .seconds(10), log: Log,
        subscribers: [(topic: String, action: Action)]
    ) {
        self.configuration = configuration
        self.heartbeat = heartbeat
        self.log = log
        self.subscribers = subscribers
    }

    /// Listens until the shutdown begins, through any number of lost connections. Throws nothing by
    /// itself.
    public func run(until shutdown: Shutdown) async throws {
        guard configuration.pooler == .none else {
            log.info("no LISTEN behind a transaction pooler: jobs are polled for")
            return await shutdown.wait()
        }
        let wake = WakePair()
        shutdown.onBegin { wake.wake() }
        await OwnThread.run("pg-listen") { [self] in
            var failures = 0
            while !shutdown.hasBegun {
                do throws(PostgresError) {
                    let connection = try listen()
                    failures = 0
                    tell(.connected)
                    try hear(connection, wake, shutdown)
                } catch {
                    failures += 1
                    log.warning("listener lost its connection", ["error": "\(error)"])
                    pause(wake, PoolCore.backoff(failures))
                }
            }
        }
    }

    private var topics: Set<String> { Set(subscribers.map(\.topic)) }

    private func tell(_ event: Event) {
        for subscriber in subscribers { subscriber.action(event) }
    }

    private func listen() throws(PostgresError) -> Connection {
        let limit = configuration.connectTimeout * configuration.hosts.count
        let connection = try Connection.open(configuration, deadline: .after(limit))
        let statements = topics.sorted().map { "LISTEN \(DatabaseAdministrator.quoted($0));" }
        try connection.runScript(statements.joined(), deadline: .after(heartbeat))
        return connection
    }

    private func hear(
        _ connection: Connection, _ wake: WakePair, _ shutdown: Shutdown
    ) throws(PostgresError) {
        while !shutdown.hasBegun {
            for note in connection.takeNotifications() { deliver(note) }
            switch connection.wait(orWokenBy: wake.reader, until: .after(heartbeat)) {
            case .readable: try connection.takeInput()
            case .woken: continue
            case .silent: _ = try connection.query("SELECT 1", deadline: .after(heartbeat))
            }
        }
    }

    private func deliver(_ note: Notification) {
        for subscriber in subscribers where subscriber.topic == note.topic {
            subscriber.action(.notified(payload: note.payload))
        }
    }

    private func pause(_ wake: WakePair, _ duration: Duration) {
        Pause.poll(wake.reader, until: .after(duration))
    }
}
