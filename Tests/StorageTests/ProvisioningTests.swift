import Cryptography
import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("The doors of operators to people")
struct ProvisioningTests {
    private static func answer(
        _ world: World, _ credential: Entry.Credential
    ) async throws -> String {
        try await world.run(credential, as: .operator) { transaction in
            let settings = try transaction.query(
                """
                select coalesce(nullif(current_setting('app.stores'), ''), '{}') <> '{}'
                  or current_setting('app.user') <> '' or current_setting('app.session') <> ''
                  or current_setting('app.caller') <> ''
                """)[0]
            let isSomebody = try settings.bool(0) ? "somebody" : "nobody"
            return switch try Entry.answer(of: transaction.preamble) {
            case .entered(.person(let person)): "entered, \(person.isOperator), \(isSomebody)"
            case .entered(.backend): "entered, backend"
            case .noOperator(.person(let person)): "no operator: \(person.id), \(isSomebody)"
            case .noOperator(.backend(let store, _)): "no operator: \(store), \(isSomebody)"
            case .unknown: "unknown, \(isSomebody)"
            case .sessionEnded: "ended"
            }
        }
    }

    @Test("whoever is made an operator gets in where operators do, and nobody else does")
    func setOperator() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let ana = try await world.person()
            func set(_ user: UserID, _ isOperator: Bool) async throws -> Bool {
                try await world.run(as: .operator) { transaction in
                    try Provisioning.setOperator(user, isOperator, in: transaction)
                }
            }
            let refused = "no operator: \(ana.id), nobody"
            #expect(try await Self.answer(world, ana.credential) == refused)
            #expect(try await set(ana.id, true))
            #expect(try await Self.answer(world, ana.credential) == "entered, true, somebody")
            #expect(try await set(ana.id, false))
            #expect(try await Self.answer(world, ana.credential) == refused)
            #expect(
                try await Self.answer(world, .apiToken(shop.token))
                    == "no operator: \(shop.id), nobody")
            #expect(
                try await Self.answer(world, .accessToken(SecureRandom.bytes(32)))
                    == "unknown, nobody")
            #expect(try await set(UserID(.v7()), true) == false)
            // Elsewhere they are who they are.
            #expect(try await world.opened(by: shop.owner.credential) == [shop.id])
        }
    }

    @Test("who is shut out loses every session and device, and may come again when let in")
    func setDisabled() async throws {
        try await World.run { world in
            let ana = try await world.person()
            let tablet = try await world.signIn(ana.id, ana.email)
            let bystander = try await world.person()
            let phones = [
                try await world.device(of: ana), try await world.device(of: tablet),
            ].compactMap(\.device)
            try await world.device(of: bystander)
            func set(_ user: UserID, _ isDisabled: Bool) async throws -> Bool {
                try await world.run(as: .operator) { transaction in
                    try Provisioning.setDisabled(user, isDisabled, in: transaction)
                }
            }
            #expect(try await set(ana.id, true))
            for session in [ana, tablet] {
                #expect(try await SessionTests.answer(world, session.access) == "session_ended")
            }
            #expect(
                try await world.count(
                    """
                    select count(*) from sineta.sessions
                    where user_id = $1 and ended_at is not null and end_reason = 'disabled'
                    """, .id(ana.id)) == 2)
            #expect(
                try await world.count(
                    "select count(*) from sineta.devices where user_id = $1", .id(ana.id)) == 0)
            let gone = try await world.rows(
                """
                select id from sineta.removed_devices
                where user_id = $1 and reason = 'session_ended'
                """, .id(ana.id)
            ).map { try $0.uuid(0) }
            #expect(Set(gone) == Set(phones.map(\.uuid)))
            await #expect(throws: WorldError.self) { try await world.signIn(ana.id, ana.email) }
            #expect(try await SessionTests.answer(world, bystander.access) == "person 0")
            #expect(try await world.count("select count(*) from sineta.devices") == 1)

            #expect(try await set(ana.id, false))
            let again = try await world.signIn(ana.id, ana.email)
            #expect(try await SessionTests.answer(world, again.access) == "person 0")
            #expect(try await SessionTests.answer(world, ana.access) == "session_ended")
            #expect(try await set(UserID(.v7()), true) == false)
        }
    }

    @Test("a reset of the command line sets the password once and keeps the stores")
    func reset() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let link = LinkTerms(hash: SecureRandom.bytes(32), life: .seconds(600))
            let (until, nobody) = try await world.run(as: .operator) { transaction in
                (
                    try Provisioning.reset(shop.owner.id, link: link, in: transaction),
                    try Provisioning.reset(
                        UserID(.v7()), link: LinkTerms(hash: [1], life: .seconds(600)),
                        in: transaction)
                )
            }
            let life = try #require(until).microseconds - Timestamp.now().microseconds
            #expect((540_000_000...660_000_000).contains(life))
            #expect(nobody == nil)
            let taken = try #require(try await world.take(link.hash, password: "new"))
            #expect(taken.id == shop.owner.id)
            #expect(try await world.opened(by: taken.credential) == [shop.id])
            #expect(
                try await SessionTests.answer(world, shop.owner.access) == "session_ended")
            #expect(try await world.take(link.hash) == nil)
            #expect(
                try await world.count(
                    "select count(*) from sineta.users where id = $1 and password_hash = 'new'",
                    .id(shop.owner.id)) == 1)
        }
    }
}
