import Postgres
import Runtime

/// Starts the embedded database again when it is gone: killed, or ended by itself for want of
/// space. The processes that use it answer 503 meanwhile and come back by themselves, and nobody
/// else would start it, since no process of `up` ends with it.
struct ClusterWatch: Sendable {
    private static let longestWait: Duration = .seconds(30)

    let cluster: EmbeddedCluster
    let log: Log

    /// Looks every second until cancelled, and returns when no start is under way any more.
    func run() async {
        var wait: Duration = .seconds(1)
        // A sleep that was cut short is the end.
        while (try? await Task.sleep(for: wait)) != nil {
            guard cluster.processID == nil else {
                wait = .seconds(1)
                continue
            }
            log.error("embedded PostgreSQL is gone and is started again")
            do throws(ClusterError) {
                try await cluster.start(deadline: .after(.seconds(20)))
                wait = .seconds(1)
            } catch {
                wait = min(wait * 2, Self.longestWait)
                log.error(
                    "embedded PostgreSQL does not start",
                    ["error": "\(error)", "next_try_seconds": .count(Int(wait.components.seconds))])
            }
        }
    }
}
