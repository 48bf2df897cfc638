import Jobs
import Testing
import Values

@testable import Worker

@Suite("Courtesy between stores")
struct CourtesyTests {
    let now = ContinuousClock.now
    let flood = StoreID(.random())
    let other = StoreID(.random())
    var many: [StoreID] { [StoreID](repeating: flood, count: 100) }

    /// Of a thousand that can be started; eight of a flood at a time.
    private func room(_ courtesy: Courtesy, after milliseconds: Int) -> JobRoom {
        courtesy.room(of: 1000, at: now + .milliseconds(milliseconds))
    }

    /// A batch from its claim at `start` to its end.
    private func work(
        _ stores: some Collection<StoreID>, _ courtesy: inout Courtesy, from start: Int = 0,
        to end: Int = 0
    ) {
        let start = now + .milliseconds(start)
        let turn = courtesy.begin(stores, since: start, at: start)
        courtesy.end(turn, at: now + .milliseconds(end))
    }

    @Test("a store that is alone is served without a rest, however its jobs come")
    func alone() {
        var courtesy = Courtesy(batch: 8)
        for count in [1, 3, 100, 2, 100] {
            work(many.prefix(count), &courtesy, to: 20)
            #expect(room(courtesy, after: 20) == JobRoom(jobs: 1000))
        }
    }

    @Test("while others are about, a batch of the flood is followed by a rest three times as long")
    func rests() {
        var courtesy = Courtesy(batch: 8)
        work(many, &courtesy, to: 20)
        work([other], &courtesy, from: 20, to: 22)
        #expect(room(courtesy, after: 22).rest == nil, "another store's batch brings no rest")
        work(many + [other], &courtesy, from: 22, to: 42)
        let rest = JobRoom.Rest(of: flood, until: now + .milliseconds(102))
        #expect(room(courtesy, after: 42) == JobRoom(jobs: 8, rest: rest))
        #expect(room(courtesy, after: 101) == JobRoom(jobs: 8, rest: rest))
        #expect(room(courtesy, after: 102) == JobRoom(jobs: 8))
    }

    @Test("one batch of the flood is at work at a time")
    func oneAtATime() {
        var courtesy = Courtesy(batch: 8)
        let turn = courtesy.begin(many + [other], since: now, at: now)
        #expect(turn.flood == flood)
        let others = courtesy.begin([other], since: now, at: now)
        #expect(others.flood == nil)
        #expect(room(courtesy, after: 50).rest?.store == flood)
        courtesy.end(others, at: now + .milliseconds(50))
        #expect(room(courtesy, after: 50).rest?.store == flood, "only the others' has ended")
        courtesy.end(turn, at: now)
        #expect(room(courtesy, after: 50) == JobRoom(jobs: 8))
    }

    @Test("the others' batches at work end first, if that is soon")
    func othersFirst() {
        var courtesy = Courtesy(batch: 8)
        let slow = courtesy.begin([other], since: now, at: now)
        work(many, &courtesy)
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
        #expect(room(courtesy, after: 20) == JobRoom(jobs: 1000))
    }

    @Test("a short batch does not end the rest after a long one")
    func overlapping() {
        var courtesy = Courtesy(batch: 8)
        let long = courtesy.begin(many + [other], since: now, at: now)
        let short = courtesy.begin(many, since: now + .milliseconds(18), at: now)
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
        #expect(room(courtesy, after: 10_020) == JobRoom(jobs: 1000))
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
        #expect(room(courtesy, after: 1000) == JobRoom(jobs: 1000))
    }
}
