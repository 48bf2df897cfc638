import Alerts
import JSON
import Jobs
import Postgres
import Storage
import TestKit
import Testing
import Values

/// Decides as the worker does, for tests of what is kept.
struct Decider {
    let world: World

    func claim(_ kind: String, limit: Int = 50) async throws -> [HeldJob] {
        let lease = LeaseID(.random())
        let rows = try await world.worker.query(
            """
            update sineta.jobs set lease_id = $1, wake_at = now() + interval '30 s'
            where id in (select id from sineta.jobs where kind = $2 and lease_id is null
              order by id limit $3)
            returning id
            """, .id(lease), .text(kind), .int(limit), deadline: World.deadline)
        return try rows.map { HeldJob(id: try $0.id(0), lease: lease) }
    }

    /// Decides every waiting alert and queues its pushes.
    @discardableResult
    func decide(isConfigured: @escaping @Sendable (DeviceRoute) -> Bool = { _ in true })
        async throws
        -> [DecidedAlert]
    {
        let decided = try await decisions(isConfigured: isConfigured)
        let kept = try await Decisions.save(
            decided, pool: world.worker, deadline: World.deadline)
        #expect(kept == Set(decided.map(\.job.id)))
        return decided
    }

    /// Decides every waiting alert and keeps nothing of it.
    func decisions(isConfigured: @escaping @Sendable (DeviceRoute) -> Bool = { _ in true })
        async throws
        -> [DecidedAlert]
    {
        var decided: [DecidedAlert] = []
        for job in try await claim(JobKinds.decide) {
            let row = try await world.rows(
                "select store_id, subject, raised_at, args from sineta.jobs where id = $1",
                .id(job.id))[0]
            let store: StoreID = try row.id(0)
            let id: AlertID = try row.id(1)
            let raisedAt = try row.timestamp(2)
            let event = try Event.read(JSONValue.parse(row.json(3)))
            let content = try #require(event.content)
            let facts = try #require(
                try await DecideFacts.load(
                    [DecideRequest(store: store, subject: SubjectReference(content))],
                    pool: world.worker, deadline: World.deadline, isConfigured: isConfigured)[0])
            let alert = try #require(
                Alert(
                    raisedBy: event, id: id, store: store, receivedAt: raisedAt,
                    known: facts.known))
            var decisions = Recipients.decide(alert, facts.audience)
            var pushes: [NewJob] = []
            for member in decisions.indices {
                for device in decisions[member].devices.indices
                where decisions[member].devices[device].verdict.isYes {
                    let push = PushID(.v7())
                    let target = decisions[member].devices[device].device
                    let route = try #require(facts.routes[target])
                    decisions[member].devices[device].push = push
                    pushes.append(
                        NewJob(
                            id: JobID(push.uuid),
                            lane: try #require(
                                Lanes.deliver(
                                    transport: route.transport.rawValue,
                                    environment: route.environment, isUrgent: true)),
                            kind: JobKinds.deliver, store: store, subject: id.uuid,
                            target: target.uuid, member: decisions[member].user.uuid,
                            raisedAt: raisedAt, expiresAt: alert.expiresAt))
                }
            }
            decided.append(
                DecidedAlert(
                    job: job, alert: alert, externalID: event.id, eventType: event.type.name,
                    subject: SubjectReference(content), raisedAt: raisedAt, decisions: decisions,
                    pushes: pushes))
        }
        return decided
    }

    func material(_ decided: DecidedAlert) async throws -> [PushMaterial] {
        let requests = decided.pushes.map { push in
            PushRequest(
                push: PushID(push.id.uuid), store: push.store,
                alert: AlertID(push.subject ?? .zero), device: DeviceID(push.target ?? .zero),
                user: UserID(push.member ?? .zero))
        }
        let found = try await PushMaterial.load(
            requests, pool: world.worker, deadline: World.deadline, isConfigured: { _ in true })
        return requests.compactMap { found[$0.push] }
    }
}
