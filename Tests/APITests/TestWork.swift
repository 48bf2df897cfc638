import Alerts
import JSON
import Jobs
import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values
import Worker

@testable import API

extension TestAPI {
    static let norths = "/v1/stores/\(north)"

    /// Runs a worker beside the API while `body` runs.
    func working(
        _ phones: TestPhones = TestPhones(), metrics: Metrics = Metrics(), log: Log = .silent,
        _ body: () async throws -> Void
    ) async throws {
        let senders = Senders([
            Credential(name: "apns", environment: "production"): phones,
            Credential(name: "fcm"): phones,
        ])
        try await working(senders, metrics: metrics, log: log, body)
    }

    /// The same with the real senders, to the simulator.
    func working(_ pushes: SimulatedPushes, _ body: () async throws -> Void) async throws {
        try await working(Senders(pushes.providers), metrics: Metrics(), log: .silent, body)
    }

    private func working(
        _ senders: Senders, metrics: Metrics, log: Log, _ body: () async throws -> Void
    ) async throws {
        let pool = PostgresPool(
            JobQueue.login(try database.configuration()), name: "worker", size: 6,
            log: .silent)
        var settings = WorkerSettings()
        settings.poll = .milliseconds(50)
        // Whoever wants a second attempt makes it due.
        settings.backoff = Backoff(base: .seconds(120))
        let shutdown = Shutdown()
        let services = try await WorkerServices(
            pool: pool, senders: senders, wording: parts.wording, settings: settings, log: log,
            metrics: metrics
        ).make(deadline: .after(.seconds(30)))
        let group = ServiceGroup(services, log: .silent)
        let running = Task { try await group.run(until: shutdown, grace: .seconds(20)) }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body())
        } catch {
            outcome = .failure(error)
        }
        shutdown.begin()
        try await running.value
        await pool.close()
        try outcome.get()
    }

    /// Waits until no job is alive, looking again every few milliseconds.
    func settle() async throws {
        let deadline = Deadline.after(.seconds(60))
        let pause = JobBell()
        while try await count("select count(*) from sineta.jobs") > 0 {
            if deadline.hasPassed {
                Issue.record("jobs are left")
                return
            }
            await pause.wait(until: .after(.milliseconds(10)))
        }
    }

    func count(_ sql: StaticSQL) async throws -> Int {
        let pool = try database.pool(.superuser, size: 1)
        let rows = try await pool.query(PostgresQuery(sql), deadline: .after(.seconds(20)))
        await pool.close()
        return try rows.first?.int(0) ?? 0
    }

    func texts(_ sql: StaticSQL) async throws -> [String] {
        let pool = try database.pool(.superuser, size: 1)
        let rows = try await pool.query(PostgresQuery(sql), deadline: .after(.seconds(20)))
        await pool.close()
        return try rows.map { try $0.text(0) }
    }

    /// Posts one event of `north` and gives its line.
    @discardableResult
    func post(_ event: JSONValue, query: String = "", as who: Who = .backend) async throws
        -> JSONValue
    {
        let reply = try await send(
            "POST", "\(Self.norths)/events\(query)", as: who,
            body: String(decoding: event.encoded, as: UTF8.self))
        #expect([200, 202].contains(reply.status), "\(reply.text)")
        return try reply.json
    }

    /// Registers a phone and gives its id.
    @discardableResult
    func phone(
        of who: Who, _ platform: String = "ios", locale: String? = nil
    ) async throws -> String {
        var body = JSONObject([
            ("platform", .text(platform)),
            (
                "token",
                .text(
                    (platform == "ios" ? "" : "android:")
                        + "\(UUID.random())".filter { $0 != "-" })
            ),
        ])
        body["locale"] = locale.map { .text($0) }
        let reply = try await send(
            "POST", "/v1/me/devices", as: who,
            body: String(decoding: JSONValue.object(body).encoded, as: UTF8.self))
        #expect(reply.status == 201, "\(reply.text)")
        return try #require(try reply.json["id"]?.text)
    }
}

/// Events as a backend posts them.
enum TestEvents {
    static let order = "0199b7e2-0000-7000-8000-000000000001"
    static let conversation = "0199c0b1-0000-7000-8000-000000000001"
    static let variant = "0199bbbb-0000-7000-8000-000000000001"
    static let product = "0199aaaa-0000-7000-8000-000000000001"

    static func event(
        _ type: String, _ data: JSONValue, id: String = "\(UUID.random())", at: String? = nil
    ) -> JSONValue {
        var object = JSONObject([("id", .text(id)), ("type", .text(type)), ("data", data)])
        object["occurred_at"] = at.map { .text($0) }
        return .object(object)
    }

    static func order(
        _ act: String = "paid", order: String = order, customer: String = "Ana Souza",
        id: String = "\(UUID.random())", at: String? = nil
    ) -> JSONValue {
        event(
            "orders.\(act)",
            [
                "order_id": .text(order), "number": "1042",
                "total": ["amount": "1234.56", "currency": "BRL"],
                "customer_name": .text(customer),
            ], id: id, at: at)
    }

    static func message(
        _ text: String, id: String = "\(UUID.random())", at: String? = nil
    ) -> JSONValue {
        event(
            "conversations.message_received",
            [
                "conversation_id": .text(conversation), "customer_name": "Ana Souza",
                "message": ["id": .text(id), "kind": "text", "text": .text(text)],
            ], at: at)
    }

    static func stock(_ quantity: Int64) -> JSONValue {
        event(
            "inventory.stock_changed",
            [
                "product_id": .text(product), "variant_id": .text(variant),
                "location_id": "0199cccc-0000-7000-8000-000000000001",
                "product_name": "Camiseta", "variant_name": "P", "location_name": "Centro",
                "quantity": .integer(quantity),
            ])
    }
}
