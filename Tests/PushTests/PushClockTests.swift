import Push
import Runtime
import Testing
import Values

@Suite("The clock of provider tokens")
struct PushClockTests {
    /// How far off each clock is once the process runs, and what comes out of it.
    @Test(
        "whichever clock jumps is outvoted by the two others",
        arguments: [
            (own: 0, other: 0, jump: 0), (own: 3600, other: 0, jump: 0),
            (own: -3600, other: 0, jump: 0), (own: 0, other: 86400, jump: 0),
            (own: 0, other: -3600, jump: 0), (own: 5, other: 86400, jump: 5),
            // It was wrong when the process started, and was put right since.
            (own: 3600, other: 3600, jump: 3600),
        ])
    func jumps(own: Int64, other: Int64, jump: Int64) {
        let start = Timestamp(seconds: 1_793_000_000)
        let system = Lock(start)
        let clock = PushClock.steady(
            besides: { start + .seconds(other) }, system: { system.withLock { $0 } })
        system.withLock { $0 = start + .seconds(own) }
        // What the monotonic clock has run since is a moment.
        let difference = clock.now() - (start + .seconds(jump))
        #expect(difference >= .zero && difference < .seconds(4), "\(difference)")
    }
}
