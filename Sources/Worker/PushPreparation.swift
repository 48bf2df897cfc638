import Alerts
import Jobs
import Push
import Storage
import Values

/// Makes a push out of its material, or says why it does not go: no I/O.
struct PushPreparation: Sendable {
    enum Verdict: Sendable {
        case send(FlyingPush, ReadyPush)
        case end(PushEnding)
    }

    let wording: Wording
    let lanes: [Lane]
    let settings: WorkerSettings

    /// - Parameters:
    ///   - material: nil when alert or store are not there.
    ///   - credential: of the lane that the job was claimed from.
    func prepare(
        _ job: ClaimedJob, _ material: PushMaterial?, of credential: Credential
    ) -> Verdict {
        guard let material else {
            return .end(
                .buried(
                    Burial(job: job.held, reason: "undecodable", countsAsAttempt: false)))
        }
        // The database's clock decides, which all workers share.
        if let expiresAt = job.expiresAt, expiresAt <= material.facts.at {
            return .end(.ended(.expired(job)))
        }
        let alert = material.alert
        let verdict = Recipients.recheck(PushedAlert(alert), material.facts)
        if case .no(let reason) = verdict { return .end(.ended(.suppressed(job, reason))) }
        guard let device = material.device else {
            return .end(.ended(.suppressed(job, .noDevice)))
        }
        guard device.route.credential == credential else {
            return .end(relocated(job, to: device.route))
        }
        do throws(WordingFault) {
            let push = try material.outgoing(PushID(job.id.uuid), to: device, wording)
            let flying = FlyingPush(
                job: job, provider: credential.name, registeredAt: device.lastRegisteredAt,
                policy: settings.retry(of: alert.kind))
            return .send(
                flying,
                ReadyPush(
                    push: push, token: device.token, registeredAt: device.lastRegisteredAt,
                    at: material.facts.at))
        } catch {
            return .end(
                .buried(Burial(job: job.held, reason: "not_worded", countsAsAttempt: false)))
        }
    }

    /// The device has registered again for another environment since: its lane of the same urgency.
    private func relocated(_ job: ClaimedJob, to route: DeviceRoute) -> PushEnding {
        let urgency = lanes.first { $0.id == job.lane }?.urgency
        let lane = lanes.first {
            $0.kind == JobKinds.deliver && $0.credential == route.credential
                && $0.urgency == urgency
        }
        guard let lane else { return .ended(.suppressed(job, .providerNotConfigured)) }
        return .moved(job.held, lane.id)
    }
}
