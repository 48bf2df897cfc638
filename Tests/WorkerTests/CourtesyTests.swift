import Testing
import Values

@testable import Worker

@Suite("Courtesy between stores")
struct CourtesyTests {
    let now = ContinuousClock.now
    let flood = StoreID(.random())
    let other = StoreID(.random())
    var many: [StoreID] { [StoreID](repeating: flood, count: 100) }

    @Test("a store that is alone is served without a rest, however its jobs come")
    func alone() {
        var courtesy = Courtesy()
        for count in [1, 3, 100, 2, 100] {
            courtesy.worked(many.prefix(count), for: .milliseconds(20), at: now)
            #expect(!courtesy.isOwed(at: now))
            #expect(!courtesy.rests(at: now))
        }
    }

    @Test("while others are about, a batch of the flood is followed by a rest as long as it took")
    func rests() {
        var courtesy = Courtesy()
        courtesy.worked(many, for: .milliseconds(20), at: now)
        courtesy.worked([other], for: .milliseconds(2), at: now)
        #expect(!courtesy.rests(at: now), "another store's batch brings no rest")
        courtesy.worked(many + [other], for: .milliseconds(20), at: now)
        #expect(courtesy.isOwed(at: now))
        #expect(courtesy.rests(at: now + .milliseconds(19)))
        #expect(!courtesy.rests(at: now + .milliseconds(20)))
    }

    @Test("no rest is longer than a tenth of a second")
    func longest() {
        var courtesy = Courtesy()
        courtesy.worked(many + [other], for: .seconds(3), at: now)
        #expect(courtesy.rests(at: now + .milliseconds(99)))
        #expect(!courtesy.rests(at: now + .milliseconds(100)))
    }

    @Test("stores that share the work are served at full speed")
    func shared() {
        var courtesy = Courtesy()
        let stores = (0..<10).map { _ in StoreID(.random()) }
        for _ in 0..<5 {
            courtesy.worked(stores.flatMap { [$0, $0, $0, $0] }, for: .milliseconds(20), at: now)
        }
        #expect(!courtesy.isOwed(at: now))
        #expect(!courtesy.rests(at: now))
    }

    @Test("a short batch does not end the rest after a long one")
    func overlapping() {
        var courtesy = Courtesy()
        courtesy.worked(many + [other], for: .milliseconds(80), at: now)
        courtesy.worked(many, for: .milliseconds(2), at: now)
        #expect(courtesy.rests(at: now + .milliseconds(79)))
    }

    @Test("it ends when nobody else was about for ten seconds")
    func nobodyElse() {
        var courtesy = Courtesy()
        courtesy.worked(many + [other], for: .zero, at: now)
        courtesy.worked(many, for: .zero, at: now + .milliseconds(9999))
        #expect(courtesy.isOwed(at: now + .milliseconds(9999)))
        courtesy.worked(many, for: .milliseconds(20), at: now + .seconds(10))
        #expect(!courtesy.isOwed(at: now + .seconds(10)))
        #expect(!courtesy.rests(at: now + .seconds(10)))
    }

    @Test("it ends a second after the flood, whatever a few jobs of many stores look like")
    func afterTheFlood() {
        var courtesy = Courtesy()
        courtesy.worked(many + [other], for: .zero, at: now)
        for tenth in 1...10 {
            let stores = (0..<8).map { _ in StoreID(.random()) }
            courtesy.worked(stores, for: .zero, at: now + .milliseconds(100 * tenth))
        }
        #expect(courtesy.isOwed(at: now + .milliseconds(999)))
        #expect(!courtesy.isOwed(at: now + .seconds(1)))
    }
}
