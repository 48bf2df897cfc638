public import Runtime

/// Sends NOTIFY for topics that were marked, at most once in five milliseconds for all of them.
///
/// A topic is marked after the commit that it tells of: NOTIFY inside a transaction makes all
/// committing transactions of the server stand in one line. One that fails is not sent again, since
/// listeners look by themselves too.
public final class PostgresNotifier: Sendable {
    private struct State {
        var marked: Set<String> = []
        var isSending = false
        var lastSent: ContinuousClock.Instant?
    }

    private let pool: PostgresPool
    private let interval: Duration
    private let log: Log
    private let state = Lock(State())

    /// - Parameter interval: between two rounds of NOTIFY, whatever the number of topics.
    public init(_ pool: PostgresPool, interval: Duration = .milliseconds(5), log: Log) {
        self.pool = pool
        self.interval = interval
        self.log = log
    }

    /// Has the topic notified soon; returns at once. Behind a transaction pooler nobody listens,
    /// and nothing is sent.
    public func mark(_ topic: String) {
        guard pool.configuration.pooler == .none else { return }
        let isFirst = state.withLock { state in
            state.marked.insert(topic)
            defer { state.isSending = true }
            return !state.isSending
        }
        if isFirst { Task { await sendUntilNothingIsMarked() } }
    }

    private func sendUntilNothingIsMarked() async {
        while true {
            await waitForTurn()
            let topics = state.withLock { state in
                defer { state.marked = [] }
                state.lastSent = .now
                if state.marked.isEmpty { state.isSending = false }
                return state.marked.sorted()
            }
            if topics.isEmpty { return }
            await send(topics)
        }
    }

    private func waitForTurn() async {
        guard let last = state.withLock({ $0.lastSent }) else { return }
        let rest = last + interval - .now
        // The task is nobody's child, so the sleep is never cut short by a cancellation.
        if rest > .zero { try? await Task.sleep(for: rest) }
    }

    private func send(_ topics: [String]) async {
        do throws(PostgresError) {
            _ = try await pool.query(
                "SELECT pg_notify(topic, '') FROM unnest($1) AS topic", .texts(topics),
                deadline: .after(.seconds(5)))
        } catch {
            log.debug("NOTIFY failed", ["error": "\(error)"])
        }
    }
}
