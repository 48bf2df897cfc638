import Alerts
import JSON
import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

@Suite("Settings")
struct SettingsTests {
    @Test("saving nothing is a choice, and minimums stay beside it")
    func nothing() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let me = shop.owner.id
            let minimum = try #require(Amount("100.00"))
            let (before, after, again) = try await world.run(shop.owner.credential) { tx in
                let before = try PreferenceStore.preferences(shop.id, me, in: tx)
                _ = try PreferenceStore.saveMinimums(shop.id, me, ["BRL": minimum], in: tx)
                let after = try PreferenceStore.preferences(shop.id, me, in: tx)
                let none = try after.preferences.replacing(
                    isEnabled: true, events: [], permissions: Set(Permission.all),
                    policy: PushPolicy())
                _ = try PreferenceStore.save(shop.id, me, none, in: tx)
                return (
                    before, after, try PreferenceStore.preferences(shop.id, me, in: tx)
                )
            }
            #expect(before.version == 0 && !before.preferences.isSaved)
            #expect(after.version == 1 && !after.preferences.isSaved)
            #expect(again.version == 2 && again.preferences.isSaved)
            #expect(again.preferences.minimums == ["BRL": minimum])
            #expect(
                again.preferences.enabled(with: Set(Permission.all), under: PushPolicy()).isEmpty)
        }
    }

    @Test("a kind that stays required keeps who required it")
    func locks() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let admin = try await world.member(of: shop, "admin", role: .admin)
            _ = try await world.run(shop.owner.credential) { tx in
                try PreferenceStore.savePolicy(
                    shop.id, PushPolicy(required: ["orders.paid"]), by: shop.owner.id, in: tx)
            }
            let policy = try await world.run(admin.credential) { tx in
                _ = try PreferenceStore.savePolicy(
                    shop.id,
                    PushPolicy(
                        defaults: ["orders.created"], required: ["orders.paid", "orders.created"]),
                    by: admin.id, in: tx)
                return try PreferenceStore.policy(shop.id, forUpdate: true, in: tx)
            }
            #expect(policy.version == 2)
            #expect(policy.policy.defaults == ["orders.created"])
            #expect(
                policy.locks.map(\.kind) == ["orders.created", "orders.paid"])
            #expect(policy.locks.map(\.user) == [admin.id, shop.owner.id])
        }
    }

    @Test("mutes hold until their end, and reach the decision")
    func mutes() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let bia = try await world.member(of: shop)
            try await world.device(of: bia)
            let customer = UUID.v7().description
            let mutes = try await world.run(bia.credential) { tx in
                try Mutes.set(
                    shop.id, bia.id, Mute(subject: .customer, id: customer, until: nil), in: tx)
                try Mutes.set(
                    shop.id, bia.id,
                    Mute(subject: .variant, id: "v", until: .now() - .seconds(1)), in: tx)
                return (
                    try Mutes.find(shop.id, bia.id, .customer, customer, in: tx),
                    try Mutes.find(shop.id, bia.id, .variant, "v", in: tx)
                )
            }
            #expect(mutes.0 == Mute(subject: .customer, id: customer, until: nil))
            #expect(mutes.1 == nil)
            _ = try await world.post(
                shop,
                World.event(
                    shop, .ordersPaid, "p",
                    [
                        "order_id": .text(UUID.v7().description), "number": "1",
                        "total": ["amount": "1", "currency": "BRL"],
                        "customer_id": .text(customer),
                    ]))
            let decided = try await Decider(world: world).decide()[0]
            let mine = decided.decisions.first { $0.user == bia.id }
            #expect(mine?.verdict.reason == .muted)
            #expect(mine?.filter == "customer \(customer)")
            let removed = try await world.run(bia.credential) { tx in
                try Mutes.remove(shop.id, bia.id, .customer, customer, in: tx)
            }
            #expect(removed)
        }
    }

    @Test("a key is one effect: its answer is kept with it, and is its caller's own")
    func idempotency() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let claim = IdempotencyKeys.Claim(
                caller: shop.owner.id.uuid, route: "POST /x", key: "k", fingerprint: [1])
            struct Undone: Error {}
            await #expect(throws: Undone.self) {
                try await world.run(shop.owner.credential) { tx in
                    try IdempotencyKeys.keep(status: 201, body: [6], for: claim, in: tx)
                    throw Undone()
                }
            }
            let first = try await world.run(shop.owner.credential) { tx in
                let first = try IdempotencyKeys.find(claim, in: tx)
                try IdempotencyKeys.keep(status: 201, body: [7], for: claim, in: tx)
                return first
            }
            #expect(first == .new)
            let again = try await world.run(shop.owner.credential) { tx in
                try IdempotencyKeys.find(claim, in: tx)
            }
            guard case .kept(let kept) = again else {
                Issue.record("\(again)")
                return
            }
            #expect(kept.fingerprint == [1] && kept.status == 201 && kept.body == [7])
            // Somebody else reads nothing, even under the caller's id.
            let other = try await world.person("other")
            let foreign = try await world.run(other.credential) { tx in
                try IdempotencyKeys.find(claim, in: tx)
            }
            #expect(foreign == .new)
        }
    }

    @Test("the last owner can neither leave nor step down")
    func lastOwner() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let answers = try await world.run(shop.owner.credential) { tx in
                [
                    try Members.remove(shop.id, shop.owner.id, in: tx),
                    try Members.change(
                        shop.id, shop.owner.id, role: .admin, permissions: nil, in: tx),
                    try Members.remove(shop.id, UserID(.v7()), in: tx),
                ]
            }
            #expect(answers == [.lastOwner, .lastOwner, .notFound])
        }
    }

    @Test("reading marks an alert and all older ones, and keeps when")
    func readMarks() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            var ids: [AlertID] = []
            for number in 0..<3 {
                ids.append(
                    try await world.post(
                        shop, World.order(shop, .ordersPaid, "p\(number)", order: .v7())
                    ).id)
            }
            try await Decider(world: world).decide()
            let middle = ids[1]
            let lines = try await world.run(shop.owner.credential) { tx in
                try Inbox.markRead([shop.id], of: shop.owner.id, upTo: middle, in: tx)
                try Inbox.markRead([shop.id], of: shop.owner.id, upTo: middle, in: tx)
                return try Inbox.list(
                    [shop.id], of: shop.owner.id, after: nil, limit: 9, in: tx)
            }
            #expect(lines.map(\.alert.id) == ids.reversed())
            #expect(lines.map { $0.readAt != nil } == [false, true, true])
        }
    }
}
