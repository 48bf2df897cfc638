import Alerts
import Cryptography
import JSON
import Jobs
import Postgres
import Runtime
import Storage
import TestKit
import Values

/// A database with people and stores in it, and the ways in which the product speaks to it.
struct World: Sendable {
    let database: TestDatabase
    /// Logs in as the product does; statements take their role in each transaction.
    let pool: PostgresPool
    /// The worker's, as it logs in.
    let worker: PostgresPool

    static func run<Result: Sendable>(_ body: (World) async throws -> Result) async throws -> Result
    {
        try await withTestDatabase(
            Schema.migrations, key: "storage",
            prepare: { database in
                try await database.run(
                    "select sineta.admit('\(TestDatabase.Role.application.name)')", as: .owner)
                let owner = try database.pool(.owner, size: 1)
                try await Schema.declareEvents(pool: owner, deadline: deadline)
                await owner.close()
            }
        ) { database in
            let worker = PostgresPool(
                JobQueue.login(try database.configuration(.application)), name: "worker", size: 3,
                log: .silent, metrics: nil)
            return try await body(
                World(database: database, pool: try database.pool(size: 4), worker: worker))
        }
    }

    static var deadline: Deadline { .after(.seconds(20)) }

    /// Runs as one of the product's roles, without a caller.
    func run<Result: Sendable>(
        as role: DatabaseRole, _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws -> Result {
        try await pool.transaction(
            deadline: Self.deadline, preamble: Entry.preamble(role: role), body)
    }

    /// Runs as the holder of a token.
    func run<Result: Sendable>(
        _ credential: Entry.Credential, as role: DatabaseRole = .api,
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws -> Result {
        try await pool.transaction(
            deadline: Self.deadline, preamble: Entry.preamble(credential, role: role), body)
    }

    /// Looks behind the scenes, past every policy.
    func rows(_ sql: StaticSQL, _ values: PostgresValue...) async throws -> PostgresRows {
        try await database.pool(.superuser, size: 1).query(
            PostgresQuery(sql, values), deadline: Self.deadline)
    }

    func count(_ sql: StaticSQL, _ values: PostgresValue...) async throws -> Int {
        try await database.pool(.superuser, size: 1).query(
            PostgresQuery(sql, values), deadline: Self.deadline)[0].int(0)
    }
}

/// A person who signed in.
struct Person: Sendable {
    let id: UserID
    let email: String
    let session: SessionID
    let refresh: [UInt8]
    let access: [UInt8]

    var credential: Entry.Credential { .accessToken(access) }
}

/// A store with its owner and its backend's token.
struct Shop: Sendable {
    let id: StoreID
    let owner: Person
    let token: [UInt8]
}

extension World {
    static let passwordHash = "$argon2id$of-the-test"

    static func tokens() -> SessionTokens {
        SessionTokens(
            refreshHash: SecureRandom.bytes(32), accessHash: SecureRandom.bytes(32),
            accessLife: .seconds(900), sessionLife: .seconds(30 * 86400))
    }

    /// A new person with a session.
    func person(_ name: String = "ana") async throws -> Person {
        let id = UserID(.v7())
        let email = "\(name)-\(id)@example.com"
        _ = try await run(as: .operator) { transaction in
            try Provisioning.createUser(
                id, email: email, name: name, locale: "pt-BR", passwordHash: Self.passwordHash,
                in: transaction)
        }
        return try await signIn(id, email)
    }

    func signIn(_ user: UserID, _ email: String) async throws -> Person {
        let tokens = Self.tokens()
        let session = SessionID(.v7())
        let opened = try await run(as: .api) { transaction in
            try Sessions.finishLogin(
                user: user, checkedHash: Self.passwordHash, network: "203.0.113.7",
                session: session, deviceName: "Phone", tokens: tokens, in: transaction)
        }
        guard opened != nil else { throw WorldError.loginFailed }
        return Person(
            id: user, email: email, session: session, refresh: tokens.refreshHash,
            access: tokens.accessHash)
    }

    func shop(zone: String = "America/Sao_Paulo") async throws -> Shop {
        let owner = try await person("owner")
        let id = StoreID(.v7())
        let token = SecureRandom.bytes(32)
        try await run(as: .operator) { transaction in
            _ = try Provisioning.createStore(
                NewStore(
                    id: id, name: "Loja Azul", timeZone: zone, locale: "pt-BR", currency: "BRL"),
                ownerEmail: owner.email, newUser: UserID(.v7()),
                invite: LinkTerms(hash: SecureRandom.bytes(32), life: .seconds(60)),
                in: transaction)
            _ = try Provisioning.createAPIToken(
                id, id: APITokenID(.v7()), name: "backend", prefix: "sk_test", hash: token,
                in: transaction)
        }
        return Shop(id: id, owner: owner, token: token)
    }

    /// A known person who joins the shop at once.
    func member(
        of shop: Shop, _ name: String = "bia", role: Role = .staff,
        permissions: [Permission] = Permission.staffDefaults
    ) async throws -> Person {
        let person = try await person(name)
        _ = try await run(shop.owner.credential) { transaction in
            try Members.add(
                shop.id, NewMember(email: person.email, role: role, permissions: permissions),
                newUser: UserID(.v7()),
                invite: LinkTerms(hash: SecureRandom.bytes(32), life: .seconds(60)),
                in: transaction)
        }
        return person
    }

    @discardableResult
    func device(
        of person: Person, token: String = "\(UUID.random())", platform: String = "ios"
    ) async throws -> Devices.RegistrationAnswer {
        try await run(person.credential) { transaction in
            try Devices.register(
                DeviceRegistration(
                    platform: platform, transport: platform == "ios" ? "apns" : "fcm",
                    app: "app", token: Secret(token)),
                id: DeviceID(.v7()), in: transaction)
        }
    }
}

extension Devices.RegistrationAnswer {
    var device: DeviceID? {
        switch self {
        case .created(let id), .known(let id), .moved(let id): id
        case .sessionEnded: nil
        }
    }
}

enum WorldError: Error {
    case loginFailed
    case noSuchEvent(String)
    case notInvited(String)
}

extension World {
    static let start = Timestamp.now()

    /// An event as the reader of bodies gives it.
    static func event(
        _ shop: Shop, _ type: EventType, _ id: String, at time: Timestamp? = nil,
        receivedAt: Timestamp = .now(), _ data: JSONValue
    ) throws -> IngestEvent {
        var body: JSONObject = JSONObject([
            ("id", .text(id)), ("type", .text(type.name)), ("data", data),
        ])
        if let time { body["occurred_at"] = .text(time.rfc3339) }
        let event = try Event.read(.object(body))
        guard
            let event = IngestEvent(
                store: shop.id, id: EventID(.v7()), event: event, receivedAt: receivedAt)
        else { throw WorldError.noSuchEvent(id) }
        return event
    }

    static func order(
        _ shop: Shop, _ type: EventType, _ id: String, order: UUID, at time: Timestamp? = nil,
        amount: String = "1234.56", customer: JSONValue? = "Ana Souza"
    ) throws -> IngestEvent {
        var data = JSONObject([
            ("order_id", .text(order.description)), ("number", "1042"),
            ("total", ["amount": .text(amount), "currency": "BRL"]),
        ])
        if let customer { data["customer_name"] = customer }
        return try event(shop, type, id, at: time, .object(data))
    }

    /// Posts events in one call of the shop's backend.
    func post(_ shop: Shop, _ events: [IngestEvent]) async throws -> [IngestResult] {
        let replies = await Ingest.commit(
            [IngestRequest(tokenHash: shop.token, store: shop.id, events: events)], pool: pool,
            deadline: Self.deadline)
        guard case .done(let results) = try replies[0].get() else {
            throw WorldError.noSuchEvent("refused")
        }
        return results
    }

    func post(_ shop: Shop, _ event: IngestEvent) async throws -> IngestResult {
        try await post(shop, [event])[0]
    }
}
