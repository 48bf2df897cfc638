import Alerts
import Cryptography
import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("Sessions")
struct SessionTests {
    /// Refreshes as the API does: the successor is derived, so parallel calls bring the same one.
    static func refresh(
        _ world: World, _ hash: [UInt8], grace: Duration = .seconds(120)
    ) async throws -> (answer: Sessions.RefreshAnswer, successor: [UInt8], access: [UInt8]) {
        let access = SecureRandom.bytes(32)
        return try await world.run(as: .api) { transaction in
            let answer = try Sessions.findRefresh(hash: hash, grace: grace, in: transaction)
            let successor = SHA256.hash(hash + Array("next".utf8))
            if case .good = answer {
                let rotated = try Sessions.rotate(
                    hash: hash,
                    tokens: SessionTokens(
                        refreshHash: successor, accessHash: access, accessLife: .seconds(900),
                        sessionLife: .seconds(86400)), in: transaction)
                #expect(rotated != nil)
            }
            return (answer, successor, access)
        }
    }

    static func answer(_ world: World, _ access: [UInt8]) async throws -> String {
        try await world.run(.accessToken(access)) { transaction in
            switch try Entry.answer(of: transaction.preamble) {
            case .entered(.person(let person)): "person \(person.memberships.count)"
            case .entered(.backend): "backend"
            case .unknown: "unknown"
            case .sessionEnded: "session_ended"
            case .noOperator: "no_operator"
            }
        }
    }

    @Test("a person enters with their stores, role and permissions")
    func entry() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let bia = try await world.member(of: shop, permissions: [.ordersRead])
            try await world.run(bia.credential) { transaction in
                guard
                    case .entered(.person(let person)) = try Entry.answer(of: transaction.preamble)
                else {
                    Issue.record("nobody entered")
                    return
                }
                #expect(person.id == bia.id)
                #expect(person.session == bia.session)
                #expect(
                    person.memberships
                        == [
                            Caller.Membership(
                                store: shop.id, role: .staff, permissions: [.ordersRead])
                        ])
            }
            try await world.run(.apiToken(shop.token)) { transaction in
                guard
                    case .entered(.backend(let store, _)) = try Entry.answer(
                        of: transaction.preamble)
                else {
                    Issue.record("no backend entered")
                    return
                }
                #expect(store == shop.id)
            }
            #expect(try await Self.answer(world, [1, 2, 3]) == "unknown")
        }
    }

    @Test("ten parallel refreshes leave one live refresh token and ten access tokens")
    func parallelRefresh() async throws {
        try await World.run { world in
            let ana = try await world.person()
            try await world.device(of: ana)
            let outcomes = try await withThrowingTaskGroup(of: ([UInt8], [UInt8]).self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        let outcome = try await Self.refresh(world, ana.refresh)
                        return (outcome.successor, outcome.access)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(outcomes.map(\.0)).count == 1)
            for outcome in outcomes {
                #expect(try await Self.answer(world, outcome.1) == "person 0")
            }
            #expect(
                try await world.count(
                    "select count(*) from sineta.refresh_tokens where session_id = $1",
                    .id(ana.session)) == 2)
            #expect(try await world.count("select count(*) from sineta.devices") == 1)
        }
    }

    @Test("the previous token is good until its successor is used, then its use is reuse")
    func reuse() async throws {
        try await World.run { world in
            let ana = try await world.person()
            try await world.device(of: ana)
            let first = try await Self.refresh(world, ana.refresh)
            // The answer was lost: the app asks again.
            let again = try await Self.refresh(world, ana.refresh)
            #expect(again.successor == first.successor)
            let second = try await Self.refresh(world, first.successor)
            #expect(second.answer == .good(session: ana.session, generation: 2))

            let replay = try await Self.refresh(world, ana.refresh)
            #expect(replay.answer == .reused(session: ana.session))
            #expect(try await Self.refresh(world, second.successor).answer == .ended)
            #expect(try await Self.answer(world, second.access) == "session_ended")
            #expect(try await world.count("select count(*) from sineta.devices") == 0)
            #expect(
                try await world.count(
                    """
                    select count(*) from sineta.removed_devices
                    where reason = 'session_ended'
                    """) == 1)
        }
    }

    @Test("the grace ends")
    func graceEnds() async throws {
        try await World.run { world in
            let ana = try await world.person()
            _ = try await Self.refresh(world, ana.refresh)
            let late = try await Self.refresh(world, ana.refresh, grace: .zero)
            #expect(late.answer == .reused(session: ana.session))
        }
    }

    @Test("a made-up refresh token ends nothing")
    func garbage() async throws {
        try await World.run { world in
            let ana = try await world.person()
            #expect(try await Self.refresh(world, [1, 2, 3]).answer == .unknown)
            #expect(try await Self.answer(world, ana.access) == "person 0")
        }
    }

    @Test("logout by either token ends the session with its devices")
    func logout() async throws {
        try await World.run { world in
            for usesRefresh in [true, false] {
                let ana = try await world.person()
                try await world.device(of: ana)
                try await world.run(as: .api) { transaction in
                    try Sessions.logout(
                        hash: usesRefresh ? ana.refresh : ana.access, in: transaction)
                    try Sessions.logout(hash: [9], in: transaction)
                }
                #expect(try await Self.answer(world, ana.access) == "session_ended")
                #expect(try await Self.refresh(world, ana.refresh).answer == .ended)
                #expect(
                    try await world.count(
                        """
                        select count(*) from sineta.removed_devices
                        where user_id = $1 and reason = 'logout'
                        """, .id(ana.id)) == 1)
            }
        }
    }

    @Test("a password change ends every other session with its devices, and a racing refresh")
    func passwordChange() async throws {
        try await World.run { world in
            let a = try await world.person()
            let b = try await world.signIn(a.id, a.email)
            let c = try await world.signIn(a.id, a.email)
            try await world.device(of: a)
            try await world.device(of: b)
            async let changed = world.run(a.credential) { transaction in
                try Sessions.changePassword(
                    checkedHash: World.passwordHash, newHash: "new", in: transaction)
            }
            async let racing = Self.refresh(world, c.refresh)
            #expect(try await changed)
            let raced = try await racing
            #expect(try await Self.answer(world, a.access) == "person 0")
            #expect(try await Self.answer(world, b.access) == "session_ended")
            #expect(try await Self.refresh(world, b.refresh).answer == .ended)
            if case .good = raced.answer {
                #expect(try await Self.answer(world, raced.access) == "session_ended")
                #expect(try await Self.refresh(world, raced.successor).answer == .ended)
            }
            let again = try await world.run(a.credential) { transaction in
                try Sessions.changePassword(
                    checkedHash: World.passwordHash, newHash: "newer", in: transaction)
            }
            #expect(!again)
            let devices = try await world.rows("select user_id, session_id from sineta.devices")
            #expect(devices.count == 1)
            #expect(try devices[0].uuid(1) == a.session.uuid)
        }
    }

    @Test("somebody else's session cannot be ended")
    func foreignSession() async throws {
        try await World.run { world in
            let ana = try await world.person()
            let eve = try await world.person("eve")
            let ended = try await world.run(eve.credential) { transaction in
                try Sessions.end(ana.session, in: transaction)
            }
            #expect(!ended)
            #expect(try await Self.answer(world, ana.access) == "person 0")
            let page = Page<SessionID>(limit: 50)
            let mine = try await world.run(ana.credential) { transaction in
                try Sessions.list(of: ana.id, page: page, in: transaction)
            }
            #expect(mine.map(\.id) == [ana.session])
            let theirs = try await world.run(eve.credential) { transaction in
                try Sessions.list(of: ana.id, page: page, in: transaction)
            }
            #expect(theirs.isEmpty)
        }
    }
}
