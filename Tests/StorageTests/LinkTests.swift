import Alerts
import Cryptography
import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("A link opens its own store")
struct LinkTests {
    /// Invited to both, as owner of the first.
    private static func both(
        _ world: World, _ mine: Shop, _ theirs: Shop
    ) async throws -> (mine: Invited, theirs: Invited) {
        let first = try await world.invite("boss", to: mine, role: .owner)
        let second = try await world.invite(
            email: first.email, to: theirs, by: theirs.owner.credential)
        return (first, second)
    }

    @Test("who takes one store's link joins that store alone; the other's link stays good")
    func otherStore() async throws {
        try await World.run { world in
            let mine = try await world.shop()
            let theirs = try await world.shop()
            let boss = try await Self.both(world, mine, theirs)
            let intruder = try #require(try await world.take(boss.theirs.link, password: "x"))
            #expect(try await world.opened(by: intruder.credential) == [theirs.id])

            // Also by a new link of the store that they have.
            let again = SecureRandom.bytes(32)
            _ = try await world.run(theirs.owner.credential) { transaction in
                try Members.reset(
                    theirs.id, boss.mine.user, managed: [theirs.id], hash: again,
                    resetLife: .seconds(60), inviteLife: .seconds(60), in: transaction)
            }
            let reset = try #require(try await world.take(again, password: "y"))
            #expect(try await world.opened(by: reset.credential) == [theirs.id])

            // And the other way round: the link of `mine` opens nothing of `theirs`.
            let genuine = try #require(try await world.take(boss.mine.link, password: "z"))
            #expect(try await world.opened(by: genuine.credential) == [mine.id])
            #expect(try await world.joined(boss.mine.user) == [mine.id])
            for ended in [intruder, reset] {
                #expect(try await SessionTests.answer(world, ended.access) == "session_ended")
            }
            #expect(
                try await world.count(
                    """
                    select count(*) from sineta.audit
                    where store_id = $1 and act = 'member.waits' and subject = $2
                    """, .id(theirs.id), .text(boss.mine.user.description)) == 1)
            for spent in [boss.mine.link, boss.theirs.link, again] {
                #expect(try await world.take(spent) == nil)
            }
        }
    }

    enum Maker: CaseIterable {
        case stranger, managerOfBoth, staffWhoManage, adminOverOwner, staffOverOwner, operators
        case commandLine
    }

    @Test(
        "a member elsewhere stays one if they prove their password or the link's maker manages there",
        arguments: Maker.allCases, [false, true])
    func membership(maker: Maker, proves: Bool) async throws {
        try await World.run { world in
            let mine = try await world.shop()
            let theirs = try await world.shop()
            let boss = try await Self.both(world, mine, theirs)
            if [.adminOverOwner, .staffOverOwner].contains(maker) {
                try await world.database.run(
                    "update sineta.members set role = 'owner' where store_id = '\(theirs.id)'")
            }
            _ = try await world.take(boss.theirs.link, password: "first")
            let person = PostgresValue.id(mine.owner.id)
            func belongs(_ role: Role, _ permissions: [Permission] = []) async throws {
                _ = try await world.rows(
                    """
                    insert into sineta.members (store_id, user_id, role, permissions, joined_at)
                    values ($1, $2, $3, $4, now())
                    """, .id(theirs.id), person, .text(role.rawValue),
                    .texts(permissions.map(\.rawValue)))
            }
            switch maker {
            case .stranger: try await belongs(.staff, [.storeManage])
            case .managerOfBoth: try await belongs(.owner)
            case .staffWhoManage, .staffOverOwner: try await belongs(.staff, [.membersManage])
            case .adminOverOwner: try await belongs(.admin)
            case .operators:
                _ = try await world.rows(
                    "update sineta.users set is_operator = true where id = $1", person)
            case .commandLine:
                _ = try await world.rows("update sineta.links set created_by = null")
            }
            let taken = try await world.take(boss.mine.link, password: proves ? "first" : "other")
            let isKept = proves || ![.stranger, .adminOverOwner, .staffOverOwner].contains(maker)
            #expect(
                try await world.opened(by: #require(taken).credential)
                    == (isKept ? [mine.id, theirs.id] : [mine.id]))
        }
    }

    @Test("no store's link makes its holder an operator, or takes a store's last owner away")
    func untouchable() async throws {
        try await World.run { world in
            let mine = try await world.shop()
            let theirs = try await world.shop()
            let boss = try await Self.both(world, mine, theirs)
            let user = boss.mine.user
            _ = try await world.take(boss.theirs.link, password: "first")
            _ = try await world.run(as: .operator) { transaction in
                try Provisioning.setOperator(user, true, in: transaction)
            }
            #expect(try await world.take(boss.mine.link) == nil)
            // One guess at the password, and no more.
            #expect(try await world.take(boss.mine.link, password: "first") == nil)
            _ = try await world.run(as: .operator) { transaction in
                try Provisioning.setOperator(user, false, in: transaction)
            }
            try await world.database.run("update sineta.links set used_at = null")
            try await world.database.run(
                """
                update sineta.members set joined_at = null where store_id = '\(theirs.id)';
                update sineta.members set role = 'owner', joined_at = now()
                where store_id = '\(theirs.id)' and user_id = '\(user)'
                """)
            #expect(try await world.take(boss.mine.link) == nil)
            #expect(try await world.joined(user) == [theirs.id])
            try await world.database.run("update sineta.links set used_at = null")
            #expect(try await world.take(boss.mine.link, password: "first") != nil)
            #expect(try await world.joined(user) == [mine.id, theirs.id])
        }
    }

    @Test("a link without a store joins nothing, and the stores' own links stay good")
    func withoutStore() async throws {
        try await World.run { world in
            let mine = try await world.shop()
            let boss = try await world.invite("boss", to: mine, role: .owner)
            let reset = LinkTerms(hash: SecureRandom.bytes(32), life: .seconds(600))
            let until = try await world.run(as: .operator) { transaction in
                try Provisioning.reset(boss.user, link: reset, in: transaction)
            }
            #expect(until != nil)
            let first = try #require(try await world.take(reset.hash, password: "first"))
            #expect(try await world.opened(by: first.credential) == [])
            #expect(try await world.take(reset.hash) == nil)
            let found = try await world.run(as: .api) { transaction in
                try Links.find(hash: boss.link, in: transaction)
            }
            #expect(found?.passwordHash == "first")
            let second = try #require(try await world.take(boss.link, password: "first"))
            #expect(try await world.opened(by: second.credential) == [mine.id])
        }
    }

    @Test("one who is a member already gets no link, and stays who they are")
    func known() async throws {
        try await World.run { world in
            let mine = try await world.shop()
            let theirs = try await world.shop()
            let hash = SecureRandom.bytes(32)
            let email = mine.owner.email
            let added = try await world.run(theirs.owner.credential) { transaction in
                try Members.add(
                    theirs.id, NewMember(email: email, role: .staff), newUser: UserID(.v7()),
                    invite: LinkTerms(hash: hash, life: .seconds(60)), in: transaction)
            }
            #expect(added?.inviteExpiresAt == nil)
            #expect(try await world.take(hash) == nil)
            #expect(
                try await world.opened(by: mine.owner.credential) == [mine.id, theirs.id])
        }
    }
}
