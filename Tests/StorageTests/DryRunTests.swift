import Alerts
import JSON
import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("Dry run and coverage")
struct DryRunTests {
    @Test("a dry run decides as the worker does, and sees no token")
    func sameDecisions() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let bia = try await world.member(of: shop)
            let customer = UUID.v7().description
            try await world.device(of: bia)
            try await world.device(of: shop.owner)
            try await world.run(shop.owner.credential) { tx in
                try Mutes.set(
                    shop.id, shop.owner.id, Mute(subject: .customer, id: customer, until: nil),
                    in: tx)
            }
            let ingest = try World.event(
                shop, .ordersPaid, "p",
                [
                    "order_id": .text(UUID.v7().description), "number": "1",
                    "total": ["amount": "1", "currency": "BRL"], "customer_id": .text(customer),
                ])
            let content = try #require(ingest.event.content)
            let facts = try #require(
                try await world.run(shop.owner.credential) { tx in
                    try DryRunFacts.load(
                        DecideRequest(
                            store: shop.id, subject: SubjectReference(content),
                            customerID: customer), kind: .ordersPaid, in: tx,
                        isConfigured: { _ in true })
                })
            let alert = try #require(
                Alert(
                    raisedBy: ingest.event, id: ingest.id, store: shop.id,
                    receivedAt: ingest.receivedAt, known: facts.known))
            let rehearsed = Recipients.decide(alert, facts.audience)
            _ = try await world.post(shop, ingest)
            let decided = try await Decider(world: world).decide()[0]
            #expect(rehearsed.map(\.user) == decided.decisions.map(\.user))
            #expect(rehearsed.map(\.verdict) == decided.decisions.map(\.verdict))
            #expect(Set(rehearsed.map(\.verdict.reason)) == [.muted, .notified])
            #expect(facts.devices.count == 2)
            #expect(facts.devices.values.allSatisfy { $0.tokenMark.count == 8 })

            let coverage = Recipients.coverage(of: .ordersPaid, facts.audience)
            #expect(coverage.members == 2 && coverage.wouldAlert == 2)
        }
    }

    @Test("the devices of another store's members are not shown")
    func foreign() async throws {
        try await World.run { world in
            let mine = try await world.shop()
            let theirs = try await world.shop()
            _ = await #expect(throws: PostgresError.self) {
                _ = try await world.run(mine.owner.credential) { tx in
                    try CoverageFacts.load(theirs.id, in: tx, isConfigured: { _ in true })
                }
            }
        }
    }
}
