import Alerts
import Jobs
import Storage
import Values

/// Where jobs go that were inserted by plain SQL: by their kind, and a push by its device.
struct IntakePlaces: Sendable {
    let material: PushMaterialSource

    func place(_ jobs: [ClaimedJob]) async throws -> [Placement] {
        let pushes = jobs.filter { $0.kind == JobKinds.deliver }
        let loaded = pushes.isEmpty ? [:] : try await material.load(pushes)
        return jobs.map { place($0, loaded[PushID($0.id.uuid)]) }
    }

    private func place(_ job: ClaimedJob, _ material: PushMaterial?) -> Placement {
        switch job.kind {
        case JobKinds.apply: .lane(Lanes.apply)
        case JobKinds.decide:
            DecideJob(job).map {
                .lane(Lanes.decide(isUrgent: $0.event.type.alert?.urgency == .urgent))
            } ?? .undecodable
        case JobKinds.deliver: material.map { push($0) } ?? .undecodable
        default: .unknownKind
        }
    }

    /// A push whose device is gone ends in any lane, as suppressed.
    private func push(_ material: PushMaterial) -> Placement {
        let route = material.device?.route
        let lane = Lanes.deliver(
            transport: route?.transport.rawValue ?? "apns",
            environment: route?.environment ?? "production", isUrgent: false)
        return lane.map { .lane($0) } ?? .undecodable
    }
}
