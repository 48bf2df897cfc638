import Alerts
import Jobs
import Storage
import Values

/// Facts to decisions and push jobs: a pure step, save for the ids that it is given.
struct Deciding: Sendable {
    let isUrgent: Bool
    /// Gives the id of each push.
    let newID: @Sendable () -> PushID

    /// Decides one alert for one chunk of its audience. Nil when the event cannot raise it.
    func decide(_ job: DecideJob, _ facts: DecideFacts) -> DecidedAlert? {
        guard let alert = job.alert(facts.known) else { return nil }
        var decisions = Recipients.decide(alert, facts.audience)
        var pushes: [NewJob] = []
        // Written once for all of them.
        let args = job.origin?.args
        for member in decisions.indices {
            for device in decisions[member].devices.indices
            where decisions[member].devices[device].verdict.isYes {
                let id = decisions[member].devices[device].device
                guard
                    let push = push(
                        to: id, of: decisions[member].user, alert, job, facts.routes[id], args)
                else { continue }
                decisions[member].devices[device].push = PushID(push.id.uuid)
                pushes.append(push)
            }
        }
        return DecidedAlert(
            job: job.job.held, alert: alert, externalID: job.event.id,
            eventType: job.event.type.name, subject: job.subject, raisedAt: job.job.raisedAt,
            decisions: decisions, pushes: pushes)
    }

    private func push(
        to device: DeviceID, of user: UserID, _ alert: Alert, _ job: DecideJob,
        _ route: DeviceRoute?, _ args: [UInt8]?
    ) -> NewJob? {
        guard let route,
            let lane = Lanes.deliver(
                transport: route.transport.rawValue, environment: route.environment,
                isUrgent: isUrgent)
        else { return nil }
        return NewJob(
            id: JobID(newID().uuid), lane: lane, kind: JobKinds.deliver, store: alert.store,
            subject: alert.id.uuid, target: device.uuid, member: user.uuid,
            raisedAt: job.job.raisedAt, expiresAt: job.job.expiresAt ?? alert.expiresAt,
            args: args)
    }
}
