public import Alerts
import Jobs
public import Postgres
public import Runtime
import Storage

/// The services of one worker, put together.
///
/// One runner for each thing that can stand still by itself: the intake, applying, deciding, and
/// each provider's credential. So a provider that is stuck holds no slots of another.
public struct WorkerServices: Sendable {
    private let pool: PostgresPool
    private let queue: JobQueue
    private let senders: Senders
    private let wording: Wording
    private let settings: WorkerSettings
    private let log: Log
    private let metrics: Metrics
    private let wake: @Sendable (String) -> Void
    private let bells = JobBells()

    /// - Parameters:
    ///   - pool: its sessions are in role `sineta_worker` (`JobQueue.role`).
    ///   - wake: tells other processes that jobs of a kind were committed, as
    ///     `PostgresNotifier.mark` does; the kind is the topic.
    public init(
        pool: PostgresPool, senders: Senders, wording: Wording, settings: WorkerSettings,
        log: Log, metrics: Metrics, wake: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.pool = pool
        queue = JobQueue(pool: pool)
        self.senders = senders
        self.wording = wording
        self.settings = settings
        self.log = log
        self.metrics = metrics
        self.wake = wake
    }

    /// The topics that the process' listener is to hear, each to `ring`.
    public static let topics = [JobKinds.apply, JobKinds.decide, JobKinds.deliver]

    /// Rings the runners of this process that work on the kind, for whoever commits jobs in it.
    public func ring(_ kind: String) { bells.ring(Self.lanes(of: kind)) }

    /// Reads the lanes and puts the services together. It switches off the lanes of each credential
    /// that it lacks; while another worker has that, it switches them on again.
    public func make(deadline: Deadline) async throws(PostgresError) -> [any Service] {
        let lanes = try await queue.lanes(deadline: deadline)
        let counts = WorkerMetrics(metrics)
        var services: [any Service] = [
            intake(lanes), applier(lanes, counts), decider(lanes, counts),
            Maintainer(pool: pool, settings: settings, log: log, metrics: metrics),
            QueueSampler(queue: queue, log: log, metrics: metrics),
        ]
        let pushLanes = lanes.filter { $0.kind == JobKinds.deliver }
        services.append(
            ClosedLanes(
                lanes: pushLanes, pool: pool, settings: settings, log: log, counts: counts,
                metrics: metrics))
        for credential in Set(pushLanes.map(\.credential)) {
            guard let sender = senders.byCredential[credential] else {
                _ = try await queue.switchOff(
                    credential, reason: "not_configured", deadline: deadline)
                continue
            }
            _ = try await queue.switchOn(credential, deadline: deadline)
            services.append(deliverer(credential, sender, lanes, counts))
        }
        return services
    }

    /// What SQL raises arrives in the intake.
    private static func lanes(of kind: String) -> [LaneID] {
        Lanes.all(of: kind) + (kind == JobKinds.apply ? [.intake] : [])
    }
}

extension WorkerServices {
    private var source: PushMaterialSource { PushMaterialSource(pool: pool, senders: senders) }

    private func intake(_ lanes: [Lane]) -> JobRunner {
        let places = IntakePlaces(material: source)
        let handler = IntakeHandler(
            place: { try await places.place($0) }, moved: { [bells] in bells.ring($0) })
        return runner(
            "intake", lanes.filter { $0.id == .intake }, slots: settings.batch, handler)
    }

    private func applier(_ lanes: [Lane], _ counts: WorkerMetrics) -> JobRunner {
        let handler = Applier(pool: pool, settings: settings, metrics: counts, added: added)
        return runner(
            "apply", lanes.filter { $0.kind == JobKinds.apply }, slots: settings.batch * 2, handler)
    }

    private func decider(_ lanes: [Lane], _ counts: WorkerMetrics) -> JobRunner {
        let handler = Decider(
            pool: pool, senders: senders, settings: settings, metrics: counts, added: added)
        return runner(
            "decide", lanes.filter { $0.kind == JobKinds.decide }, slots: settings.batch * 2,
            handler, floodBatch: Decider.floodBatch)
    }

    private func deliverer(
        _ credential: Credential, _ sender: any PushSending, _ lanes: [Lane],
        _ counts: WorkerMetrics
    ) -> JobRunner {
        let desk = DeliveryDesk(
            credential: credential, settings: settings, pool: pool, log: log, metrics: counts)
        let handler = Deliverer(
            credential: credential, sender: sender, material: source,
            writer: PushPreparation(wording: wording, lanes: lanes, settings: settings),
            settings: settings, desk: desk, pace: Lock(FactsPace(most: settings.batch)))
        let own = lanes.filter { $0.kind == JobKinds.deliver && $0.credential == credential }
        // Each provider has its own part of the slots, so that one that is stuck takes no other's.
        let slots = max(1, settings.concurrency / max(1, senders.byCredential.count))
        return runner(
            "\(credential)", own, slots: slots, handler, floodBatch: Deliverer.floodBatch
        ) { handler.room }
    }

    private func runner(
        _ name: String, _ lanes: [Lane], slots: Int, _ handler: any JobHandler,
        floodBatch: Int? = nil, room: @escaping @Sendable () -> Int = { .max }
    ) -> JobRunner {
        var configuration = settings.runner(slots: slots)
        configuration.courtesy = floodBatch.map { Courtesy(batch: $0) }
        let runner = JobRunner(
            name: name, queue: queue, lanes: lanes, configuration: configuration,
            handler: handler, log: log, metrics: metrics, room: room)
        bells.add(runner.bell, for: lanes.map(\.id))
        return runner
    }

    /// Wakes this process' runners in memory, and the others' by NOTIFY.
    private var added: @Sendable (Set<LaneID>) -> Void {
        { [bells, wake] lanes in
            guard !lanes.isEmpty else { return }
            bells.ring(lanes)
            let decides = lanes.contains(where: Self.lanes(of: JobKinds.decide).contains)
            wake(decides ? JobKinds.decide : JobKinds.deliver)
        }
    }
}
