import Jobs
import Testing
import Values

@Suite("Where a claim looks")
struct ClaimCursorTests {
    let start = ContinuousClock.now
    let database = Timestamp(seconds: 1_000_000)

    func answer(
        _ tag: Int64?, dueWasFull: Bool = false, took: Duration = .milliseconds(2)
    ) -> ClaimCursor.Answer {
        ClaimCursor.Answer(
            lowestTag: tag, dueWasFull: dueWasFull, databaseTime: database, took: took)
    }

    @Test("the first claim looks at everything")
    func first() {
        let bounds = ClaimCursor().bounds(at: start)
        #expect(bounds == ClaimCursor.Bounds(lowTag: 0, dueFrom: nil, isFull: true))
    }

    @Test("later claims start at the lowest tag of late and at the last due scan less its overlap")
    func later() {
        var cursor = ClaimCursor()
        cursor.learn(answer(500), of: cursor.bounds(at: start), at: start, jitter: 0.5)
        let next = cursor.bounds(at: start + .milliseconds(10))
        #expect(
            next
                == ClaimCursor.Bounds(
                    lowTag: 500, dueFrom: database - .seconds(5),
                    suspectsFrom: database - .seconds(5), isFull: false))
    }

    @Test("a tag claimed within the memory still bounds, an older one no more")
    func memory() {
        var cursor = ClaimCursor()
        cursor.learn(answer(500), of: cursor.bounds(at: start), at: start, jitter: 0.5)
        let soon = start + .milliseconds(900)
        cursor.learn(answer(9000), of: cursor.bounds(at: soon), at: soon, jitter: 0.5)
        #expect(cursor.bounds(at: soon).lowTag == 500)
        let later = soon + .milliseconds(1001)
        cursor.learn(answer(12_000), of: cursor.bounds(at: later), at: later, jitter: 0.5)
        #expect(cursor.bounds(at: later).lowTag == 9000)
    }

    @Test("suspects that were taken, or not looked for, leave the start of their scan where it is")
    func suspects() {
        func answer(none: Bool, at seconds: Int64) -> ClaimCursor.Answer {
            ClaimCursor.Answer(
                lowestTag: nil, dueWasFull: false, hadNoSuspects: none,
                databaseTime: Timestamp(seconds: seconds), took: .milliseconds(2))
        }
        var cursor = ClaimCursor()
        cursor.learn(
            answer(none: true, at: 100), of: cursor.bounds(at: start), at: start, jitter: 0.5)
        #expect(cursor.bounds(at: start).suspectsFrom == Timestamp(seconds: 95))
        cursor.learn(
            answer(none: false, at: 200), of: cursor.bounds(at: start), at: start, jitter: 0.5)
        let next = cursor.bounds(at: start)
        #expect(next.suspectsFrom == Timestamp(seconds: 95))
        #expect(next.dueFrom == Timestamp(seconds: 195), "the others are not held up by them")
        let later = start + .seconds(3)
        cursor.learn(
            answer(none: false, at: 300), of: cursor.bounds(at: later), at: later, jitter: 0.5)
        #expect(cursor.bounds(at: later).suspectsFrom == nil)
    }

    @Test("a claim that takes nothing leaves the bound where it is")
    func nothing() {
        var cursor = ClaimCursor()
        cursor.learn(answer(500), of: cursor.bounds(at: start), at: start, jitter: 0.5)
        let soon = start + .milliseconds(50)
        cursor.learn(answer(nil), of: cursor.bounds(at: soon), at: soon, jitter: 0.5)
        #expect(cursor.bounds(at: soon).lowTag == 500)
    }

    @Test("a due scan that came back full keeps its start: others may stand behind")
    func fullDueScan() {
        var cursor = ClaimCursor()
        cursor.learn(
            answer(1, dueWasFull: true), of: cursor.bounds(at: start), at: start, jitter: 0.5)
        #expect(cursor.bounds(at: start).dueFrom == nil)
        cursor.learn(answer(1), of: cursor.bounds(at: start), at: start, jitter: 0.5)
        #expect(cursor.bounds(at: start).dueFrom == database - .seconds(5))
    }

    @Test(
        "everything is looked at again after two seconds, or thirty when that was slow",
        arguments: [
            (Duration.milliseconds(2), 0.0, Duration.milliseconds(1500)),
            (.milliseconds(2), 0.5, .seconds(2)),
            (.milliseconds(51), 0.5, .seconds(30)),
        ])
    func fullClaims(took: Duration, jitter: Double, interval: Duration) {
        var cursor = ClaimCursor()
        cursor.learn(
            answer(1, took: took), of: cursor.bounds(at: start), at: start, jitter: jitter)
        #expect(!cursor.bounds(at: start + interval - .milliseconds(1)).isFull)
        #expect(cursor.bounds(at: start + interval).isFull)
        #expect(cursor.isStretched == (took > .milliseconds(50)))
    }

    @Test("a slow claim within bounds does not stretch the interval")
    func slowBounded() {
        var cursor = ClaimCursor()
        cursor.learn(answer(1), of: cursor.bounds(at: start), at: start, jitter: 0.5)
        cursor.learn(
            answer(1, took: .seconds(1)), of: cursor.bounds(at: start), at: start, jitter: 0.5)
        #expect(!cursor.isStretched)
    }

    @Test("where claims within bounds are slow too, the machine is busy: the interval stays")
    func busy() {
        var cursor = ClaimCursor()
        cursor.learn(answer(1), of: cursor.bounds(at: start), at: start, jitter: 0.5)
        cursor.learn(
            answer(1, took: .milliseconds(60)), of: cursor.bounds(at: start), at: start,
            jitter: 0.5)
        let later = start + .seconds(3)
        cursor.learn(
            answer(1, took: .milliseconds(200)), of: cursor.bounds(at: later), at: later,
            jitter: 0.5)
        #expect(!cursor.isStretched)
        #expect(cursor.bounds(at: later + .seconds(2)).isFull)
        let last = later + .seconds(3)
        cursor.learn(
            answer(1, took: .milliseconds(241)), of: cursor.bounds(at: last), at: last,
            jitter: 0.5)
        #expect(cursor.isStretched)
    }

    @Test("after forgetting, the next claim looks at everything")
    func forget() {
        var cursor = ClaimCursor()
        cursor.learn(answer(500), of: cursor.bounds(at: start), at: start, jitter: 0.5)
        cursor.forget()
        #expect(cursor == ClaimCursor())
    }

    @Test("thousands of quick claims keep the lowest of their tags")
    func manyClaims() {
        var cursor = ClaimCursor()
        for number in 0..<5000 {
            let time = start + .microseconds(number * 10)
            cursor.learn(
                answer(Int64(1_000_000 + number)), of: cursor.bounds(at: time), at: time,
                jitter: 0.5)
        }
        #expect(cursor.bounds(at: start + .milliseconds(50)).lowTag == 1_000_000)
    }
}
