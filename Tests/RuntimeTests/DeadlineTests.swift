import Runtime
import Testing

@Suite("A deadline") struct DeadlineTests {
    @Test("that has passed leaves nothing")
    func passed() {
        let deadline = Deadline(ContinuousClock.now - .seconds(1))
        #expect(deadline.hasPassed)
        #expect(deadline.remaining == .zero)
        #expect(deadline.pollMilliseconds == 0)
    }

    @Test("gives poll(2) whole milliseconds rounded up, and never more than it takes")
    func poll() {
        #expect(Deadline.after(.microseconds(1)).pollMilliseconds <= 1)
        #expect((1...60_000).contains(Deadline.after(.seconds(60)).pollMilliseconds))
        #expect(Deadline.after(.seconds(1 << 40)).pollMilliseconds == .max)
    }

    @Test("sorts by its moment")
    func order() {
        let now = ContinuousClock.now
        #expect(Deadline(now) < Deadline(now + .nanoseconds(1)))
    }
}
