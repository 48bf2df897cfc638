public import Alerts
public import Postgres
public import Runtime
public import Values

/// Whose facts an alert needs: the store's members, and what is kept of what it is about.
public struct DecideRequest: Sendable {
    public let store: StoreID
    /// Nil for an alert about nothing that is kept.
    public let subject: SubjectReference?
    /// The customer of the event itself, for mutes; what is kept of the subject is looked up.
    public let customerID: String?
    /// Where a large audience goes on: behind this member.
    public let after: UserID?

    /// What an event's alert needs.
    public init(store: StoreID, content: EventContent, after: UserID? = nil) {
        self.init(
            store: store, subject: SubjectReference(content), customerID: content.customerID,
            after: after)
    }

    public init(
        store: StoreID, subject: SubjectReference?, customerID: String? = nil, after: UserID? = nil
    ) {
        self.store = store
        self.subject = subject
        self.customerID = customerID
        self.after = after
    }
}

/// The order, conversation or variant at a location that an event is about.
public enum SubjectReference: Sendable, Hashable {
    case order(String)
    case conversation(String)
    case stock(variant: String, location: String)

    /// What an event says it is about.
    public init(_ content: EventContent) {
        switch content {
        case .order(let order): self = .order(order.orderID)
        case .conversation(let conversation): self = .conversation(conversation.conversationID)
        case .stock(let stock):
            self = .stock(variant: stock.variantID, location: stock.locationID)
        }
    }

    /// As it stands in `alerts.subject_kind`.
    var kind: String {
        switch self {
        case .order: "order"
        case .conversation: "conversation"
        case .stock: "stock"
        }
    }

    var id: String {
        switch self {
        case .order(let id), .conversation(let id): id
        case .stock(let variant, _): variant
        }
    }
}

/// What decides one alert for one chunk of its audience.
public struct DecideFacts: Sendable {
    public let store: StoreFacts
    /// What is kept of the subject and is not in the event: names, customer, assignee.
    public let known: KnownSubject
    /// The members of this chunk, with the store's policy and the database's time.
    public let audience: AudienceFacts
    /// Where a device's pushes go.
    public let routes: [DeviceID: DeviceRoute]
    /// The last member of this chunk when more follow.
    public let next: UserID?
}

/// What a text says of the store.
public struct StoreFacts: Sendable, Equatable {
    public let name: String
    /// A language tag: read by who has none of their own.
    public let locale: String

    public init(name: String, locale: String) {
        self.name = name
        self.locale = locale
    }
}

/// Which provider and environment carries pushes to a device.
public struct DeviceRoute: Sendable, Hashable {
    public let transport: Transport
    /// `production` or `sandbox`; says nothing to a provider that has one environment.
    public let environment: String
    /// Which app's credentials it takes.
    public let app: String

    public init(transport: Transport, environment: String, app: String) {
        self.transport = transport
        self.environment = environment
        self.app = app
    }
}

extension DecideFacts {
    /// Facts for any number of alerts of any number of stores, in one round trip, as they are now.
    ///
    /// Runs as `.worker`; every statement joins on the store all the same.
    ///
    /// - Parameters:
    ///   - chunk: how many members an alert's facts hold at most.
    ///   - isConfigured: whether a route's provider has credentials.
    /// - Returns: one per request, in order; nil for a store that is not there.
    public static func load(
        _ requests: [DecideRequest], chunk: Int = 1000, pool: PostgresPool, deadline: Deadline,
        isConfigured: @escaping @Sendable (DeviceRoute) -> Bool
    ) async throws -> [DecideFacts?] {
        guard !requests.isEmpty else { return [] }
        let audiences = Array(Set(requests.map { AudienceKey(store: $0.store, after: $0.after) }))
        let preamble = [
            DatabaseRole.worker.query, StoreQuery.query(audiences.map(\.store)),
            MemberQuery.query(audiences, chunk: chunk), SubjectQuery.query(requests),
            MuteQuery.query(requests),
        ]
        return try await pool.transaction(deadline: deadline, preamble: preamble) { transaction in
            let rows = transaction.preamble
            let stores = try StoreQuery.read(rows[1])
            let audiences = try MemberQuery.read(rows[2], chunk: chunk, isConfigured)
            let subjects = try SubjectQuery.read(rows[3])
            let mutes = try MuteQuery.read(rows[4])
            return requests.map { request in
                guard let store = stores[request.store] else { return nil }
                let audience = audiences[AudienceKey(store: request.store, after: request.after)]
                let subject = request.subject.flatMap {
                    subjects[StoredSubject(store: request.store, subject: $0)]
                }
                return facts(store, audience ?? Audience(), subject, request, mutes)
            }
        }
    }

    private static func facts(
        _ store: StoreRow, _ audience: Audience, _ subject: SubjectRow?, _ request: DecideRequest,
        _ mutes: MutesBySubject
    ) -> DecideFacts {
        let muted = mutes.of(request, customer: request.customerID ?? subject?.known.customerID)
        var members = audience.members
        if !muted.isEmpty {
            for index in members.indices {
                members[index].preferences.mutes = muted[members[index].user] ?? []
            }
        }
        return DecideFacts(
            store: store.facts, known: subject?.known ?? KnownSubject(),
            audience: AudienceFacts(
                at: store.now, policy: store.policy, assignee: subject?.assignee, members: members),
            routes: audience.routes, next: audience.next)
    }
}

struct AudienceKey: Hashable {
    let store: StoreID
    let after: UserID?
}

/// One chunk of a store's members.
struct Audience {
    var members: [MemberFacts] = []
    var routes: [DeviceID: DeviceRoute] = [:]
    var next: UserID?
}

extension EventContent {
    /// The customer that the event itself names.
    fileprivate var customerID: String? {
        switch self {
        case .order(let order): order.customerID.value
        case .conversation(let conversation): conversation.customerID.value
        case .stock: nil
        }
    }
}
