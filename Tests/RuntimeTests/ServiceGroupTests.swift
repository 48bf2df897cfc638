import Runtime
import Testing

@Suite("A group of services", .timeLimit(.minutes(1))) struct ServiceGroupTests {
    private struct Broken: Error, Equatable {}

    /// Runs a closure as a service.
    private struct Running: Service {
        let name: String
        let body: @Sendable (Shutdown) async throws -> Void

        func run(until shutdown: Shutdown) async throws { try await body(shutdown) }
    }

    @Test("lets each service end what it has in flight")
    func drains() async throws {
        let shutdown = Shutdown()
        let ended = Lock<Set<String>>([])
        let services = ["api", "worker", "metrics"].map { name in
            Running(name: name) { shutdown in
                await shutdown.wait()
                ended.withLock { _ = $0.insert(name) }
            }
        }
        shutdown.begin()
        try await ServiceGroup(services, log: .silent).run(until: shutdown, grace: .seconds(30))
        #expect(ended.withLock { $0 } == ["api", "worker", "metrics"])
    }

    @Test("ends whole when one service fails, and throws that error")
    func failure() async {
        let shutdown = Shutdown()
        let drained = Lock(false)
        let lines = Lock<[String]>([])
        let log = Log(
            level: .error, format: .text, sink: { line in lines.withLock { $0.append(line) } })
        let services = [
            Running(name: "api") { shutdown in
                await shutdown.wait()
                drained.withLock { $0 = true }
            },
            Running(name: "worker") { _ in throw Broken() },
        ]
        await #expect(throws: Broken()) {
            try await ServiceGroup(services, log: log).run(until: shutdown, grace: .seconds(30))
        }
        #expect(drained.withLock { $0 })
        let written = lines.withLock { $0 }
        #expect(written.count == 1)
        #expect(
            written.first?.hasSuffix("ERROR service failed service=worker error=Broken()") == true)
    }

    @Test("ends whole when one service returns before it was asked to")
    func early() async throws {
        let shutdown = Shutdown()
        let services = [
            Running(name: "api") { await $0.wait() },
            Running(name: "worker") { _ in },
        ]
        try await ServiceGroup(services, log: .silent).run(until: shutdown, grace: .seconds(30))
        #expect(shutdown.hasBegun)
    }

    @Test("cancels what outlasts the grace")
    func grace() async throws {
        let shutdown = Shutdown()
        let cancelled = Lock(false)
        let stuck = Running(name: "stuck") { _ in
            // Only cancellation ends this: another shutdown, which nobody begins.
            await Shutdown().wait()
            cancelled.withLock { $0 = Task.isCancelled }
        }
        shutdown.begin()
        try await ServiceGroup([stuck], log: .silent).run(until: shutdown, grace: .zero)
        #expect(cancelled.withLock { $0 })
    }
}
