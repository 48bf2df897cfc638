import Jobs
import Storage
import Testing
import Worker

@Suite("The table of lanes", .timeLimit(.minutes(2)))
struct LaneTableTests {
    @Test("every lane of the schema is declared, and every declared lane is there")
    func matchesSchema() async throws {
        try await Harbour.with { harbour in
            let lanes = try await harbour.queue.lanes(deadline: harbour.soon)
            for kind in WorkerServices.topics {
                let rows = lanes.filter { $0.kind == kind }.map(\.id)
                #expect(Set(Lanes.all(of: kind)) == Set(rows), "\(kind)")
            }
            for lane in lanes where lane.kind == JobKinds.deliver {
                let declared = Lanes.deliver(
                    transport: lane.credential.name, environment: lane.credential.environment,
                    isUrgent: lane.urgency < LaneRound.bulkUrgency)
                #expect(declared == lane.id, "\(lane.name)")
            }
            #expect(Lanes.all(of: JobKinds.apply) == [Lanes.apply])
            let decide = [true, false].map { Lanes.decide(isUrgent: $0) }
            #expect(Lanes.all(of: JobKinds.decide) == decide)
            #expect(Lanes.deliver(transport: "webpush", environment: "", isUrgent: true) == nil)
        }
    }
}
