import Jobs
import Runtime
import Testing

@Suite("Bells, slots and batches", .timeLimit(.minutes(1)))
struct JobBellTests {
    @Test("a ring before the wait is not lost")
    func ringFirst() async {
        let bell = JobBell()
        bell.ring()
        bell.ring()
        let start = ContinuousClock.now
        await bell.wait(until: .after(.seconds(30)))
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("many rings make one wake")
    func oneWake() async {
        let bell = JobBell()
        bell.ring()
        bell.ring()
        await bell.wait(until: .after(.seconds(30)))
        let start = ContinuousClock.now
        await bell.wait(until: .after(.milliseconds(30)))
        #expect(ContinuousClock.now - start >= .milliseconds(30))
    }

    @Test("a ring during the wait ends it")
    func ringDuring() async {
        let bell = JobBell()
        async let wait: Void = bell.wait(until: .after(.seconds(30)))
        let start = ContinuousClock.now
        bell.ring()
        await wait
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("an alarm of an earlier wait does not end a later one")
    func oldAlarm() async {
        let bell = JobBell()
        bell.ring()
        await bell.wait(until: .after(.milliseconds(20)))
        let start = ContinuousClock.now
        await bell.wait(until: .after(.milliseconds(80)))
        #expect(ContinuousClock.now - start >= .milliseconds(80))
    }

    @Test("the bells of a lane ring, others stay silent")
    func lanes() async {
        let bells = JobBells()
        let first = JobBell()
        let second = JobBell()
        bells.add(first, for: [LaneID(1), LaneID(2)])
        bells.add(second, for: [LaneID(3)])
        bells.ring([LaneID(2)])
        let start = ContinuousClock.now
        await first.wait(until: .after(.seconds(30)))
        await second.wait(until: .after(.milliseconds(20)))
        #expect(ContinuousClock.now - start >= .milliseconds(20))
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test("a batch goes when it is full, and what is left over goes after the delay")
    func batches() async {
        let (stream, continuation) = AsyncStream.makeStream(of: [Int].self)
        let full = Batcher<Int>(size: 3, delay: .seconds(600)) { continuation.yield($0) }
        for number in 1...6 { full.add(number) }
        let leftOver = Batcher<Int>(size: 3, delay: .milliseconds(10)) { continuation.yield($0) }
        leftOver.add(7)
        var seen: [[Int]] = []
        for await batch in stream {
            seen.append(batch)
            if seen.count == 3 { break }
        }
        #expect(Set(seen) == [[1, 2, 3], [4, 5, 6], [7]])
    }
}
