import Alerts
import Postgres
import Runtime
import TestKit
import Testing
import Values

@testable import Storage

/// What a call of the group is answered when the database answers nothing.
@Suite("Ingest with a silent database")
struct IngestDeadlineTests {
    /// Long after the deadlines that are looked at, long before those of the others.
    private static let soon: Duration = .seconds(40)
    private static let never: Duration = .seconds(90)

    private static func run(
        _ body: (World, Shop, FaultProxy, IngestGroup) async throws -> Void
    ) async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let proxy = try world.database.faultProxy()
            var configuration = try world.database.configuration(.application, through: proxy)
            configuration.connectTimeout = .seconds(5)
            let pool = PostgresPool(configuration, size: 2, log: .silent)
            let group = IngestGroup(pool: pool, raised: {})
            _ = try await post("first", to: group, shop, within: soon)
            proxy.fault = .swallow(.toServer)
            try await body(world, shop, proxy, group)
            proxy.stop()
        }
    }

    private static func post(
        _ id: String, to group: IngestGroup, _ shop: Shop, within patience: Duration
    ) async throws -> IngestReply {
        try await group.submit(
            IngestRequest(
                tokenHash: shop.token, store: shop.id,
                events: [try World.order(shop, .ordersCreated, id, order: .v7())]),
            deadline: .after(patience))
    }

    /// Why a call was refused, and that it was in its own time.
    private static func refusal(
        _ id: String, of group: IngestGroup, _ shop: Shop, within patience: Duration
    ) async throws -> PostgresError? {
        let start = ContinuousClock.now
        let error = await #expect(throws: PostgresError.self) {
            try await post(id, to: group, shop, within: patience)
        }
        let time = ContinuousClock.now - start
        #expect(time >= patience && time < soon, "\(id): \(time)")
        return error
    }

    /// Waits until as many calls wait and are under way.
    private static func reaches(
        _ waiting: Int, _ underWay: Int, _ group: IngestGroup
    ) async throws {
        let deadline = Deadline.after(soon)
        while group.counts != (waiting, underWay) {
            try #require(!deadline.hasPassed, "\(group.counts)")
            await Task.yield()
        }
    }

    @Test(
        "a call that waits behind silent transactions is answered in its own time, and not stored",
        .timeLimit(.minutes(2)))
    func waiting() async throws {
        try await Self.run { world, shop, proxy, group in
            try await withThrowingTaskGroup(of: IngestReply.self) { tasks in
                for (index, id) in ["a", "b"].enumerated() {
                    tasks.addTask { try await Self.post(id, to: group, shop, within: Self.never) }
                    try await Self.reaches(0, index + 1, group)
                }
                let error = try await Self.refusal("late", of: group, shop, within: .seconds(1))
                #expect(error == .poolTimeout)
                proxy.fault = .none
                proxy.resetAll()
                // The one loses its connection, the other may find a new one.
                while let result = await tasks.nextResult() {
                    if case .failure(let error as PostgresError) = result {
                        #expect(error.isUnavailable)
                    }
                }
            }
            let late = try await world.count(
                "select count(*) from sineta.events where external_id = 'late'")
            #expect(late == 0)
        }
    }

    @Test(
        "a call under way beside one with more time is answered in its own, and ends not the other",
        .timeLimit(.minutes(2)))
    func underWay() async throws {
        try await Self.run { world, shop, proxy, group in
            try await withThrowingTaskGroup(of: IngestReply?.self) { tasks in
                for (index, id) in ["a", "b"].enumerated() {
                    tasks.addTask {
                        _ = try await Self.refusal(id, of: group, shop, within: .seconds(8))
                        return nil
                    }
                    try await Self.reaches(0, index + 1, group)
                }
                tasks.addTask {
                    try await Self.post("patient", to: group, shop, within: Self.never)
                }
                try await Self.reaches(1, 2, group)
                // It goes out in the transaction of the patient one, once those two are over.
                let error = try await Self.refusal("short", of: group, shop, within: .seconds(12))
                #expect(error?.isUnavailable == true)
                #expect(group.counts == (0, 1))
                proxy.fault = .none
                let replies = try await tasks.reduce(into: []) { $0.append($1) }.compactMap(\.self)
                guard case .done = replies.first else {
                    Issue.record("\(replies)")
                    return
                }
            }
        }
    }
}
