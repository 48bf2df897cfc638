import Runtime
import Testing

@Suite("Shutdown", .timeLimit(.minutes(1))) struct ShutdownTests {
    @Test("wakes everybody who waits, and those who come later at once")
    func waiters() async {
        let shutdown = Shutdown()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { await shutdown.wait() } }
            group.addTask { shutdown.begin() }
        }
        await shutdown.wait()
        #expect(shutdown.hasBegun)
    }

    @Test("runs its actions once, also those that are added late")
    func actions() {
        let shutdown = Shutdown()
        let runs = Lock<[String]>([])
        shutdown.onBegin { runs.withLock { $0.append("early") } }
        #expect(runs.withLock { $0 } == [])
        shutdown.begin()
        shutdown.begin()
        shutdown.onBegin { runs.withLock { $0.append("late") } }
        #expect(runs.withLock { $0 } == ["early", "late"])
    }

    @Test("lets a cancelled task go without beginning")
    func cancelled() async {
        let shutdown = Shutdown()
        let waiting = Task { await shutdown.wait() }
        waiting.cancel()
        await waiting.value
        #expect(!shutdown.hasBegun)
    }
}
