import Schedules
import Testing

/// The long run is `ops/schedules`; this one tells that nothing is broken outright.
@Suite("Seeded schedules of claim, lease, retry and breaker")
struct ScheduleTests {
    @Test("hold every promise of the queue", arguments: [1, 1_000_000, 2_000_000] as [UInt64])
    func hold(seed: UInt64) async {
        let broken = await Campaign(seed: seed).run(500)
        #expect(broken == nil, "seed \(broken?.seed ?? 0): \(broken?.violations ?? [])")
    }

    @Test("catch every fault that is built in on purpose", arguments: Mutant.allCases)
    func mutants(mutant: Mutant) async {
        #expect(await Campaign(seed: 1, mutant: mutant).run(20_000) != nil)
    }

    @Test("are repeated by their seed")
    func repeats() async {
        let first = await Campaign(seed: 1, mutant: .fenceRemoved).run(20_000)
        var again = Schedule(seed: first?.seed ?? 0, mutant: .fenceRemoved)
        #expect(again.run() == first?.violations)
    }
}
