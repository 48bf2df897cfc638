import Jobs
import Testing

@Suite("How a round is shared")
struct LaneRoundTests {
    static func lane(
        _ id: Int32, urgency: Int = 10, room: Int = 1000, hungry: Bool = true
    ) -> LaneRound.Lane {
        LaneRound.Lane(id: LaneID(id), urgency: urgency, room: room, isHungry: hungry)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let lanes: [LaneRound.Lane]
        let slots: Int
        let quotas: [LaneID: Int]
    }

    static let cases = [
        Case(
            testDescription: "one lane takes all", lanes: [lane(1)], slots: 200,
            quotas: [LaneID(1): 200]),
        Case(
            testDescription: "no slots, no quotas", lanes: [lane(1)], slots: 0, quotas: [:]),
        Case(
            testDescription: "bulk keeps a tenth beside hungry urgent work",
            lanes: [lane(1), lane(2, urgency: 50)], slots: 200,
            quotas: [LaneID(1): 180, LaneID(2): 20]),
        Case(
            testDescription: "bulk keeps one slot of few",
            lanes: [lane(1), lane(2, urgency: 50)], slots: 3,
            quotas: [LaneID(1): 2, LaneID(2): 1]),
        Case(
            testDescription: "waiting bulk takes what sated urgent lanes leave",
            lanes: [lane(1, hungry: false), lane(2, urgency: 50)], slots: 200,
            quotas: [LaneID(1): 50, LaneID(2): 150]),
        Case(
            testDescription: "when nothing is hungry urgent goes first",
            lanes: [lane(1, hungry: false), lane(2, urgency: 50, hungry: false)], slots: 200,
            quotas: [LaneID(1): 180, LaneID(2): 20]),
        Case(
            testDescription: "lanes of one rank share, and room left over goes to the other",
            lanes: [lane(1, room: 30), lane(2)], slots: 100,
            quotas: [LaneID(1): 30, LaneID(2): 70]),
        Case(
            testDescription: "a rank above urgent is served whole before urgent",
            lanes: [lane(1), lane(2, urgency: 5, room: 80)], slots: 100,
            quotas: [LaneID(2): 80, LaneID(1): 20]),
        Case(
            testDescription: "a lane without room is not asked",
            lanes: [lane(1, room: 0), lane(2)], slots: 10, quotas: [LaneID(2): 10]),
    ]

    @Test("each lane gets its part", arguments: cases)
    func quotas(_ item: Case) {
        #expect(LaneRound.quotas(of: item.lanes, slots: item.slots) == item.quotas)
    }

    @Test("of single slots urgent gets nine and bulk one")
    func singleSlots() {
        let lanes = [Self.lane(1), Self.lane(2, urgency: 50)]
        let takers = (1...20).map { turn in
            LaneRound.quotas(of: lanes, slots: 1, turn: turn).keys.sorted()
        }
        #expect(takers.allSatisfy { $0.count == 1 })
        #expect(takers.count { $0 == [LaneID(2)] } == 2)
    }

    @Test("a round never gives more than its slots", arguments: 0..<50)
    func bounded(slots: Int) {
        let lanes = (1...6).map {
            Self.lane($0, urgency: $0 % 2 == 0 ? 10 : 50, room: Int($0) * 3, hungry: $0 > 3)
        }
        let sum = LaneRound.quotas(of: lanes, slots: slots).values.reduce(0, +)
        #expect(sum <= slots)
        #expect(sum >= min(slots, 10))
    }
}
