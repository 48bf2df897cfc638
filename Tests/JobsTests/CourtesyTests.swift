import Testing
import Values

@testable import Jobs

@Suite("Courtesy between stores")
struct CourtesyTests {
    let now = ContinuousClock.now
    let flood = StoreID(.random())
    let other = StoreID(.random())
    var many: [StoreID] { [StoreID](repeating: flood, count: 100) }

    /// The rooms of a claim open to all, and of one in the flood's rest.
    private let open = JobRoom(jobs: 1000)
    private var passing: JobRoom { JobRoom(jobs: 8, rest: JobRoom.Rest(store: flood, end: now)) }

    private func room(_ courtesy: Courtesy, after milliseconds: Int) -> JobRoom {
        courtesy.room(at: now + .milliseconds(milliseconds))
    }

    /// A batch from its claim at `start` to its end.
    private func work(
        _ stores: some Collection<StoreID>, _ courtesy: inout Courtesy, from start: Int = 0,
        to end: Int = 0
    ) {
        let start = now + .milliseconds(start)
        let turn = courtesy.begin(stores, claimedAt: start, in: open, at: start)
        courtesy.end(turn, at: now + .milliseconds(end))
    }

    @Test("a store that is alone is served without a rest, however its jobs come")
    func alone() {
        var courtesy = Courtesy(batch: 8)
        for count in [1, 3, 100, 2, 100] {
            work(many.prefix(count), &courtesy, to: 20)
            #expect(room(courtesy, after: 20) == JobRoom(jobs: .max))
        }
    }

    @Test("while others are about, a batch of the flood is followed by a rest thrice as long")
    func rests() {
        var courtesy = Courtesy(batch: 8)
        work(many, &courtesy, to: 20)
        work([other], &courtesy, from: 20, to: 22)
        #expect(room(courtesy, after: 22).rest == nil, "another store's batch brings no rest")
        work(many + [other], &courtesy, from: 22, to: 42)
        let rest = JobRoom.Rest(store: flood, end: now + .milliseconds(102))
        #expect(room(courtesy, after: 42) == JobRoom(jobs: 8, rest: rest))
        #expect(room(courtesy, after: 101) == JobRoom(jobs: 8, rest: rest))
        #expect(room(courtesy, after: 102) == JobRoom(jobs: 8))
    }

    @Test("one batch of the flood is at work at a time, unless it takes longer than a second")
    func oneAtATime() {
        var courtesy = Courtesy(batch: 8)
        let turn = courtesy.begin(many + [other], claimedAt: now, in: open, at: now)
        #expect(turn.flood == flood)
        let others = courtesy.begin([other], claimedAt: now, in: open, at: now)
        #expect(others.flood == nil)
        #expect(room(courtesy, after: 50).rest?.store == flood)
        courtesy.end(others, at: now + .milliseconds(50))
        #expect(room(courtesy, after: 999).rest?.store == flood, "only the others' has ended")
        #expect(room(courtesy, after: 1000) == JobRoom(jobs: 8))
        #expect(room(courtesy, after: 5000) == JobRoom(jobs: 8), "it is not forgotten meanwhile")
        courtesy.end(turn, at: now + .milliseconds(5000))
        #expect(room(courtesy, after: 5099).rest?.store == flood)
        #expect(room(courtesy, after: 5100) == JobRoom(jobs: 8))
    }

    @Test("what is claimed in a rest makes no other store the flood, however many it has")
    func claimedInARest() {
        var courtesy = Courtesy(batch: 8)
        work(many + [other], &courtesy)
        let turn = courtesy.begin(
            [StoreID](repeating: other, count: 8), claimedAt: now, in: passing, at: now)
        #expect(turn.flood == nil)
        #expect(room(courtesy, after: 50).rest?.store == flood)
        courtesy.end(turn, at: now)
        #expect(room(courtesy, after: 50) == JobRoom(jobs: 8))
    }

    @Test("two floods are none, once they are claimed together")
    func twoFloods() {
        var courtesy = Courtesy(batch: 8)
        let both = [flood, flood, flood, flood, other, other, other, other]
        work(many + [other], &courtesy)
        for tenth in 1...10 { work(both, &courtesy, from: 100 * tenth, to: 100 * tenth) }
        #expect(room(courtesy, after: 1000) == JobRoom(jobs: .max))
    }

    @Test("a few jobs of one store are no flood", arguments: [(8, 4), (64, 16)])
    func few(batch: Int, least: Int) {
        var courtesy = Courtesy(batch: batch)
        work([other], &courtesy)
        work(many.prefix(least - 1), &courtesy)
        #expect(room(courtesy, after: 0) == JobRoom(jobs: .max))
        work(many.prefix(least), &courtesy)
        #expect(room(courtesy, after: 0) == JobRoom(jobs: batch))
    }

    @Test("all of a claim that had room for few is a flood")
    func littleRoom() {
        var courtesy = Courtesy(batch: 64)
        work([other], &courtesy)
        let turn = courtesy.begin(
            many.prefix(12), claimedAt: now, in: JobRoom(jobs: 12), at: now)
        #expect(turn.flood == flood)
    }

    @Test("the others' batches at work end first, if that is soon")
    func othersFirst() {
        var courtesy = Courtesy(batch: 8)
        work(many + [other], &courtesy)
        let slow = courtesy.begin([other], claimedAt: now, in: passing, at: now)
        #expect(room(courtesy, after: 99).rest?.store == flood)
        #expect(room(courtesy, after: 100) == JobRoom(jobs: 8), "it waits for ever")
        work(many, &courtesy, from: 100, to: 100)
        courtesy.end(slow, at: now + .milliseconds(101))
        #expect(room(courtesy, after: 101) == JobRoom(jobs: 8))
    }

    @Test("no rest is longer than a tenth of a second")
    func longest() {
        var courtesy = Courtesy(batch: 8)
        work(many + [other], &courtesy, to: 900)
        #expect(room(courtesy, after: 999).rest != nil)
        #expect(room(courtesy, after: 1000).rest == nil)
    }

    @Test("stores that share the work are served at full speed")
    func shared() {
        var courtesy = Courtesy(batch: 8)
        let stores = (0..<10).map { _ in StoreID(.random()) }
        for _ in 0..<5 {
            work(stores.flatMap { [$0, $0, $0, $0] }, &courtesy, to: 20)
        }
        #expect(room(courtesy, after: 20) == JobRoom(jobs: .max))
    }

    @Test("a short batch does not end the rest after a long one")
    func overlapping() {
        var courtesy = Courtesy(batch: 8)
        let long = courtesy.begin(many + [other], claimedAt: now, in: open, at: now)
        let short = courtesy.begin(many, claimedAt: now + .milliseconds(18), in: open, at: now)
        courtesy.end(long, at: now + .milliseconds(20))
        courtesy.end(short, at: now + .milliseconds(21))
        #expect(room(courtesy, after: 79).rest != nil)
        #expect(room(courtesy, after: 80).rest == nil)
    }

    @Test("it ends when nobody else was about for ten seconds")
    func nobodyElse() {
        var courtesy = Courtesy(batch: 8)
        work(many + [other], &courtesy)
        work(many, &courtesy, from: 9999, to: 9999)
        #expect(room(courtesy, after: 9999) == JobRoom(jobs: 8))
        work(many, &courtesy, from: 10_000, to: 10_020)
        #expect(room(courtesy, after: 10_020) == JobRoom(jobs: .max))
    }

    @Test("it ends a second after the flood, whatever a few jobs of many stores look like")
    func afterTheFlood() {
        var courtesy = Courtesy(batch: 8)
        work(many + [other], &courtesy)
        for tenth in 1...10 {
            let stores = (0..<8).map { _ in StoreID(.random()) }
            work(stores, &courtesy, from: 100 * tenth, to: 100 * tenth)
        }
        #expect(room(courtesy, after: 999) == JobRoom(jobs: 8))
        #expect(room(courtesy, after: 1000) == JobRoom(jobs: .max))
    }
}
