import Glibc
import Runtime

/// The children of one `up`, in one process group of their own, so that a terminal's Ctrl-C reaches
/// their parent alone and the order of their end is the parent's.
final class ProcessGroup: Sendable {
    private let record: ProcessRecord
    private let children = Lock<[ChildProcess]>([])

    /// - Parameter hurry: when it begins, all are killed.
    init(record: ProcessRecord, hurry: Shutdown) {
        self.record = record
        hurry.onBegin { [weak self] in
            for child in self?.children.withLock({ $0 }) ?? [] { child.send(SIGKILL) }
        }
    }

    /// Starts `sineta NAME`.
    func start(
        _ name: String, _ options: [String], _ environment: [String: String]
    ) throws {
        let known = children.withLock { $0 }
        let group = known.first { !$0.hasEnded }?.identity.pid ?? 0
        let child = try ChildProcess(
            name, arguments: [name, Supervision.option] + options, environment: environment,
            group: group)
        children.withLock { $0.append(child) }
        try record.write((known + [child]).map(\.identity))
    }

    /// Waits until the process does its work.
    ///
    /// - Returns: what it says about itself, as its address.
    /// - Throws: `ChildEnded` when it ended instead; it has said why itself.
    func ready(_ name: String) async throws(ChildEnded) -> String {
        guard let child = child(name), let line = await child.ready() else {
            await child(name)?.ended()
            throw ChildEnded(name: name, code: child(name)?.exitCode ?? 1)
        }
        return line
    }

    /// Waits until one ends by itself, which is returned, or `shutdown` begins.
    func firstEnd(orWhen shutdown: Shutdown) async -> ChildProcess? {
        await withTaskGroup(of: ChildProcess?.self) { group in
            for child in children.withLock({ $0 }) {
                group.addTask {
                    await child.ended()
                    return child.hasEnded ? child : nil
                }
            }
            group.addTask {
                await shutdown.wait()
                return nil
            }
            let first = await group.next()
            group.cancelAll()
            return shutdown.hasBegun ? nil : first.flatMap { $0 }
        }
    }

    /// Asks the named ones to end, and kills those that have not when the time is over.
    func stop(_ names: Set<String>, within time: Duration) async {
        let stopping = children.withLock { $0 }.filter { names.contains($0.name) }
        for child in stopping { child.send(SIGTERM) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for child in stopping { await child.ended() }
            }
            group.addTask { try? await Task.sleep(for: time) }
            await group.next()
            group.cancelAll()
        }
        for child in stopping where !child.hasEnded {
            child.send(SIGKILL)
            await child.ended()
        }
    }

    private func child(_ name: String) -> ChildProcess? {
        children.withLock { $0 }.first { $0.name == name }
    }
}

/// A process of the group ended before it was ready. Its own line on standard error says why, so
/// this one prints nothing more than who it was.
struct ChildEnded: Error, CustomStringConvertible {
    let name: String
    let code: Int32

    var description: String { "\(name) did not start (exit code \(code)): its line above says why" }
}
