import Runtime
import Testing

@Suite("A lock", .timeLimit(.minutes(1))) struct LockTests {
    @Test("lets one caller at a time change its value")
    func exclusive() async {
        let lock = Lock(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 { lock.withLock { $0 += 1 } }
                }
            }
        }
        #expect(lock.withLock { $0 } == 80_000)
    }

    @Test("is free again after its body threw, and the error keeps its type")
    func thrown() {
        struct Refusal: Error, Equatable { let word: String }
        let lock = Lock(1)
        let refuse: (inout Int) throws(Refusal) -> Void = { value throws(Refusal) in
            value = 2
            throw Refusal(word: "no")
        }
        #expect(throws: Refusal(word: "no")) {
            try lock.withLock { (value) throws(Refusal) in try refuse(&value) }
        }
        #expect(lock.withLock { $0 } == 2)
    }
}

@Suite("A blocking executor", .timeLimit(.minutes(1))) struct BlockingExecutorTests {
    private struct Refusal: Error, Equatable {}

    @Test("gives back what the work returned or threw")
    func results() async throws {
        let executor = BlockingExecutor(name: "test", threads: 2)
        defer { executor.close() }
        #expect(await executor.run { 41 + 1 } == 42)
        await #expect(throws: Refusal()) {
            try await executor.run { () throws(Refusal) -> Int in throw Refusal() }
        }
    }

    @Test("runs work in the order it came when it has one thread")
    func order() async {
        let executor = BlockingExecutor(name: "test", threads: 1)
        defer { executor.close() }
        let seen = Lock<[Int]>([])
        for number in 0..<3000 { executor.submit { seen.withLock { $0.append(number) } } }
        await executor.run {}
        #expect(seen.withLock { $0 } == Array(0..<3000))
    }

    @Test("finishes the work it has after it was closed")
    func closing() async {
        let executor = BlockingExecutor(name: "test", threads: 1)
        let seen = Lock(0)
        await withCheckedContinuation { continuation in
            for number in 1...100 {
                executor.submit {
                    seen.withLock { $0 += 1 }
                    if number == 100 { continuation.resume() }
                }
            }
            executor.close()
        }
        #expect(seen.withLock { $0 } == 100)
    }
}
