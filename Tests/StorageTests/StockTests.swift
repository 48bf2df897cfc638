import Alerts
import JSON
import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("Stock")
struct StockTests {
    static let variant = UUID.v7().description
    static let location = UUID.v7().description

    static func event(
        _ shop: Shop, _ id: String, _ quantity: Int64, at time: Timestamp, receivedAt: Timestamp,
        location: String = location
    ) throws -> IngestEvent {
        try World.event(
            shop, .inventoryStockChanged, id, at: time, receivedAt: receivedAt,
            [
                "product_id": "0199a0c4-0000-7000-8000-000000000001",
                "variant_id": .text(variant), "location_id": .text(location),
                "product_name": "Camiseta", "quantity": .integer(quantity),
            ])
    }

    /// A moment in São Paulo, which is three hours behind UTC all year.
    static func local(_ text: String) throws -> Timestamp {
        try #require(Timestamp(rfc3339: text + "-03:00"))
    }

    @Test("low stock alerts once a calendar day of the store, per variant and location")
    func day() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            var number = 0
            func post(_ quantity: Int64, _ time: String, location: String = Self.location)
                async throws -> String?
            {
                number += 1
                let at = try Self.local(time)
                return try await world.post(
                    shop,
                    Self.event(
                        shop, "e\(number)", quantity, at: at, receivedAt: at + .seconds(1),
                        location: location)
                ).reason
            }
            #expect(try await post(6, "2026-10-28T23:59:00") == "above_threshold")
            #expect(try await post(5, "2026-10-28T23:59:10") == nil)
            #expect(try await post(4, "2026-10-28T23:59:30") == "already_today")
            #expect(try await post(3, "2026-10-29T00:00:30") == nil)
            // The next day in UTC, the same in the store.
            #expect(try await post(2, "2026-10-29T21:30:00") == "already_today")
            #expect(try await post(2, "2026-10-29T21:30:00") == "stale")
            #expect(try await post(1, "2026-10-29T21:29:59") == "stale")
            #expect(
                try await post(2, "2026-10-29T21:30:00", location: UUID.v7().description) == nil)
            #expect(try await post(9, "2026-10-29T22:00:00") == "above_threshold")
            #expect(try await post(1, "2026-10-29T22:10:00") == "already_today")
            #expect(try await post(1, "2026-10-30T00:00:00") == nil)
        }
    }

    @Test("twenty crossings at once raise one alert")
    func parallel() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let at = try Self.local("2026-10-28T12:00:00")
            let reasons = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await world.post(
                            shop,
                            Self.event(
                                shop, "e\(number)", 3, at: at + .milliseconds(number),
                                receivedAt: at + .seconds(1))
                        ).reason
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(reasons.count { $0 == nil } == 1)
            #expect(try await world.count("select count(*) from sineta.jobs") == 1)
        }
    }

    @Test("a store's own threshold counts, and an old count is kept and raises nothing")
    func threshold() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            var change = StoreChange()
            change.lowStockThreshold = 1
            let wanted = change
            _ = try await world.run(shop.owner.credential) { transaction in
                try Stores.change(shop.id, wanted, in: transaction)
            }
            let at = try Self.local("2026-10-28T12:00:00")
            let results = try await world.post(
                shop,
                [
                    Self.event(
                        shop, "old", 0, at: at - .seconds(3600), receivedAt: at + .seconds(1)),
                    Self.event(shop, "two", 2, at: at, receivedAt: at + .seconds(1)),
                    Self.event(
                        shop, "one", 1, at: at + .seconds(1), receivedAt: at + .seconds(1)),
                ])
            #expect(results.map(\.reason) == ["too_old", "above_threshold", nil])
            let lines = try await world.run(shop.owner.credential) { transaction in
                try Stock.find(shop.id, variant: Self.variant, in: transaction)
            }
            #expect(lines?.locations.map(\.quantity) == [1])
            #expect(lines?.productName == "Camiseta")
        }
    }
}
