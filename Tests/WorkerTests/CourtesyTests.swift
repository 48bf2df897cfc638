import Testing
import Values

@testable import Worker

@Suite("Courtesy between stores")
struct CourtesyTests {
    let now = ContinuousClock.now
    let flood = StoreID(.random())
    let other = StoreID(.random())
    var many: [StoreID] { [StoreID](repeating: flood, count: 100) }

    @Test("a store that is alone is served without a rest")
    func alone() {
        var courtesy = Courtesy()
        for _ in 0..<5 { courtesy.worked(many, for: .milliseconds(20), at: now) }
        #expect(!courtesy.isOwed(at: now))
        #expect(!courtesy.rests(at: now))
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

    @Test("it ends when nobody else was about for ten seconds, and when the flood is over")
    func ends() {
        var courtesy = Courtesy()
        courtesy.worked(many + [other], for: .milliseconds(20), at: now)
        #expect(courtesy.isOwed(at: now + .milliseconds(9999)))
        #expect(!courtesy.isOwed(at: now + .seconds(10)))
        courtesy.worked([flood, flood, flood, flood, other, other], for: .zero, at: now)
        #expect(!courtesy.isOwed(at: now))
    }
}
