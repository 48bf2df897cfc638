import Alerts
import HTTPServer
import JSON
import Postgres
import Runtime
import Storage
import Values

/// Facts that commerce backends post.
enum EventEndpoints {
    static func endpoints(_ services: Services, _ parts: Parts) -> [Endpoint] {
        [post(EventPost(services: services, parts: parts, known: KnownTokens()))]
    }

    private static func post(_ post: EventPost) -> Endpoint {
        Endpoint(
            .post, "/v1/stores/{store}/events",
            "Posts one event, or a batch of which each item is taken or refused on its own.",
            access: Access(.storeToken, .member(with: .alertsRead)),
            query: [
                QueryParameter(
                    "dry_run", .bool,
                    "Stores nothing and answers what would become of each event, byte for byte; "
                        + "people who may read alerts can ask too.")
            ],
            body: EventBody.shape,
            responses: [
                Response(202, "One event: what came of it.", EventShapes.line),
                Response(
                    200, "A batch: a line per item, in order.",
                    .object([.required("events", .list(of: .anything))])),
                Response(200, "A dry run of one event.", DryRunAnswer.line),
            ],
            codes: [.rateLimited], isIdempotent: true, rate: .unlimited
        ) { call, entrance in
            try await post.answer(call, entrance)
        }
    }
}

/// The way of a posted event into the database.
struct EventPost: Sendable {
    let services: Services
    let parts: Parts
    let known: KnownTokens

    /// Calls are committed in groups. One with an `Idempotency-Key` goes alone, since its record
    /// belongs into the transaction of its effect; the events' own ids make it needless.
    func answer(_ call: Call, _ entrance: Entrance) async throws -> Answer {
        let store: StoreID = try call.path.id("store")
        if call.query.bool("dry_run") { return try await tried(call, entrance, store) }
        guard call.credential?.kind == .storeToken else {
            // Who may not call at all is told so first.
            try await entrance.enter { _, _ in }
            throw Problem(.forbidden, "Only a store's API token posts events.")
        }
        let read = Result { try EventBody(call.body) }
        // Without an event there will be no transaction that says whether the token still is good,
        // and what is wrong with the call is told only to whom it lets in.
        let hasEvents = (try? read.get().events.isEmpty) == false
        let isWellFormed = (try? call.checkForm()) != nil
        try await meet(call, entrance, store, isAskedLater: hasEvents && isWellFormed)
        let body = try read.get()
        try call.charge(services.limits.events, to: store.uuid, cost: body.items.count)
        let origin = call.origin
        let events = body.events.compactMap { event in
            IngestEvent(
                store: store, id: EventID(.v7(at: call.now)), event: event,
                receivedAt: call.now, maxAge: parts.alertMaxAge, origin: origin)
        }
        if call.request.headers["Idempotency-Key"] != nil {
            return try await keyed(entrance, body, events)
        }
        let results = try await grouped(call, store, events)
        Self.note(results, call)
        return Self.answer(body, results)
    }

    /// Joins the request to its events and their alerts, for those who look into it: a line for
    /// each post would cost more than the post.
    private static func note(_ results: [IngestResult], _ call: Call) {
        guard call.services.log.level <= .debug, !results.isEmpty else { return }
        let first = results.prefix(10)
        call.log.debug(
            "events taken",
            [
                "route": .text(call.route), "events": .count(results.count),
                "event_ids": .text(first.map { "\($0.id)" }.joined(separator: " ")),
                "alerts": .text(first.compactMap { $0.alert?.description }.joined(separator: " ")),
            ])
    }

    /// Whose events are counted must be known before they are. A token that came in once is counted
    /// to its store; whether it still is good, the transaction of the events says.
    private func meet(
        _ call: Call, _ entrance: Entrance, _ store: StoreID, isAskedLater: Bool
    ) async throws {
        guard let credential = call.credential,
            !isAskedLater || known.store(of: credential) != store
        else { return }
        try await entrance.enter { _, _ in }
        known.remember(credential, store)
    }

    private func grouped(
        _ call: Call, _ store: StoreID, _ events: [IngestEvent]
    ) async throws -> [IngestResult] {
        guard !events.isEmpty, let credential = call.credential else { return [] }
        let request = IngestRequest(tokenHash: credential.hash, store: store, events: events)
        switch try await parts.ingest.submit(request, deadline: call.deadline) {
        case .done(let results): return results
        case .unauthenticated:
            known.forget(credential)
            throw Problem(.unauthenticated)
        case .otherStore: throw Problem(.notFound)
        }
    }

    private func keyed(
        _ entrance: Entrance, _ body: EventBody, _ events: [IngestEvent]
    ) async throws -> Answer {
        let call = entrance.call
        let answer = try await entrance.enter { caller, transaction in
            guard let claim = try Idempotency.claim(call, caller) else {
                throw Problem(.validationFailed)
            }
            return try Idempotency.answer(claim, in: transaction) {
                let results = try Ingest.apply(events, in: transaction)
                Self.note(results, call)
                return Self.answer(body, results)
            }
        }
        parts.ingest.noteAdded()
        return answer
    }

    private static func answer(_ body: EventBody, _ results: [IngestResult]) -> Answer {
        guard body.isBatch else {
            return .json(202) { writer in
                if let result = results.first { EventShapes.write(result, to: &writer) }
            }
        }
        var rest = results[...]
        return .json(200) { writer in
            writer.beginObject()
            writer.key("events")
            writer.beginArray()
            for item in body.items {
                switch item {
                case .success:
                    if let result = rest.popFirst() { EventShapes.write(result, to: &writer) }
                case .failure(let fault):
                    EventShapes.write(fault.refusal.id, fault.refusal.faults, to: &writer)
                }
            }
            writer.endArray()
            writer.endObject()
        }
    }
}

/// The tokens that came in once, and their stores: it says whose budget a call is counted to, never
/// whether it may.
final class KnownTokens: Sendable {
    private static let most = 10_000

    private let stores = Lock<[PresentedToken: StoreID]>([:])

    func store(of credential: PresentedToken) -> StoreID? { stores.withLock { $0[credential] } }

    func remember(_ credential: PresentedToken, _ store: StoreID) {
        stores.withLock { stores in
            if stores.count >= Self.most { stores.removeAll() }
            stores[credential] = store
        }
    }

    func forget(_ credential: PresentedToken) {
        stores.withLock { _ = $0.removeValue(forKey: credential) }
    }
}
