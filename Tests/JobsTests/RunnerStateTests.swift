import Testing

@testable import Jobs

@Suite("What a runner remembers")
struct RunnerStateTests {
    let now = ContinuousClock.now

    private func lane(_ number: Int32) -> Lane {
        Lane(id: LaneID(number), kind: "test", credential: Credential(name: ""), urgency: 10)
    }

    @Test("the lanes take turns for suspects in the rounds that take one, whatever is between them")
    func turns() {
        var state = RunnerState(lanes: [lane(1), lane(2)])
        var first: [LaneID] = []
        for round in 0..<8 {
            let takesSuspect = round % 2 == 0
            let requests = state.requests(
                JobRoom(jobs: 10), takesSuspect: takesSuspect, at: now)
            #expect(requests.allSatisfy { ($0.suspectRank != nil) == takesSuspect })
            first += requests.filter { $0.suspectRank == 0 }.map(\.lane)
        }
        #expect(Set(first.prefix(2)) == [LaneID(1), LaneID(2)])
        #expect(first == [first[0], first[1], first[0], first[1]])
    }

    @Test("a handler without any room gets one job after ten seconds, and another ten seconds on")
    func noRoom() {
        var state = RunnerState(lanes: [lane(1)])
        #expect(state.room(of: 7, at: now) == 7)
        var given: [Int] = []
        for second in 0...25 where state.room(of: 0, at: now + .seconds(second)) > 0 {
            given.append(second)
        }
        #expect(given == [10, 20])
        #expect(state.room(of: 3, at: now + .seconds(26)) == 3)
        #expect(state.room(of: 0, at: now + .seconds(31)) == 0, "it had room in between")
    }
}
