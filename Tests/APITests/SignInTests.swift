import JSON
import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

@testable import API
@testable import Cryptography

@Suite("Signing in")
struct SignInTests {
    @Test("unknown address and wrong password get one answer")
    func oneAnswer() async throws {
        try await TestAPI.run { api in
            let account = try await api.account()
            var bodies: Set<String> = []
            for (email, password) in [
                (account.email, "wrong password"), ("nobody@example.com", Account.password),
                // Invited and never come: there is no password.
                ("staff@example.com", "x"),
            ] {
                let reply = try await api.login(
                    email, password, headers: ["X-Request-Id: same"])
                #expect(reply.status == 401)
                bodies.insert(reply.text)
            }
            #expect(bodies.count == 1)
            // The case of an address does not count.
            #expect(
                try await api.login(account.email.uppercased(), Account.password).status == 200)
        }
    }

    @Test("what signing in answers opens the API, and says how long")
    func answer() async throws {
        try await TestAPI.run { api in
            let account = try await api.account()
            let reply = try await api.login(account.email, Account.password)
            let json = try reply.json
            #expect(json["token_type"] == "Bearer")
            #expect(json["expires_in"] == 900)
            #expect(json["session"]?["device_name"] == "Phone")
            #expect(json["session"]?["current"] == true)
            let session = try Account.Session(reply)
            let me = try await api.send("GET", "/v1/me", token: session.access).json
            #expect(
                me == [
                    "id": .text(account.id.description), "email": .text(account.email),
                    "name": "ana", "locale": .null,
                ])
        }
    }

    @Test("guessing is refused after five attempts; the owner's own address is only slowed")
    func guessing() async throws {
        try await TestAPI.run(proxies: ["127.0.0.1"]) { api in
            let account = try await api.account()
            func from(_ address: String, _ password: String) async throws -> RawReply {
                try await api.login(
                    account.email, password, headers: ["X-Forwarded-For: \(address)"])
            }
            // Their own address, which signed in within 90 days.
            #expect(try await from("198.51.100.1", Account.password).status == 200)
            var refused: RawReply?
            for _ in 0..<6 { refused = try await from("203.0.113.9", "wrong password") }
            #expect(refused?.code == "rate_limited")
            #expect((refused?.headers["retry-after"]).flatMap { Int($0) } ?? 0 > 0)
            // The right password does not help a stranger who is held back.
            #expect(try await from("203.0.113.9", Account.password).status == 429)
            #expect(try await from("198.51.100.1", Account.password).status == 200)
        }
    }

    @Test("an address may try thirty times a minute, whoever it tries to be")
    func address() async throws {
        try await TestAPI.run { api in
            let replies = try await api.atOnce(31) {
                try await api.login("\(UUID.random())@example.com", "wrong password")
            }
            #expect(replies.count { $0.status == 401 } == 30)
            #expect(replies.count { $0.code == "rate_limited" } == 1)
        }
    }

    @Test("too many passwords at once are turned away and not queued for seconds")
    func busy() async throws {
        let hasher = PasswordHasher(
            cost: PasswordCost(kibibytes: 64, passes: 1), threads: 2, limit: 0)
        await #expect(throws: Problem.self) {
            try await Passwords.work { () async throws(PasswordFault) in
                try await hasher.hash(Secret("x"))
            }
        }
    }

    @Test(
        "two passwords are checked at once, the next waits or is turned away, and other routes answer"
    )
    func twoAtOnce() async throws {
        let gate = ThreadGate()
        let hasher = PasswordHasher(cost: .cheap, limit: 3, begins: { gate.pass() })
        try await TestAPI.run(hasher: hasher) { api in
            let account = try await api.account()
            let counters =
                "select coalesce(sum(attempts), 0)::bigint from sineta.login_counters" as StaticSQL
            let none = try await api.count(counters)
            #expect(try await api.login(account.email, "wrong password").status == 401)
            let one = try await api.count(counters) - none
            gate.close()
            try await withThrowingTaskGroup(of: RawReply.self) { group in
                for _ in 0..<20 {
                    group.addTask { try await api.login(account.email, Account.password) }
                }
                // All but three, who can not come to an end.
                for _ in 0..<17 {
                    let turnedAway = try #require(await group.next())
                    #expect(turnedAway.code == "unavailable")
                    #expect(turnedAway.headers["retry-after"] == "1")
                }
                #expect(await gate.waits(for: 2))
                // The database has not heard of those, though all came at once.
                #expect(try await api.count(counters) <= none + one * 4)
                for _ in 0..<20 {
                    let me = try await api.send("GET", "/v1/me", token: account.session.access)
                    #expect(me.status == 200)
                }
                #expect(gate.count == 2)
                gate.open()
                for try await reply in group { #expect(reply.status == 200) }
            }
        }
    }

    @Test("a sign-in that fails does the same work, whoever it is tried for")
    func sameWork() async throws {
        let hashes = Lock(0)
        let hasher = PasswordHasher(cost: .cheap, begins: { hashes.withLock { $0 += 1 } })
        try await TestAPI.run(hasher: hasher) { api in
            let account = try await api.account()
            let gone = try await api.account("gone")
            try await api.sql(
                "update sineta.users set disabled_at = now() where id = $1", .id(gone.id))
            for email in [
                account.email, gone.email, "nobody@example.com",
                // Invited and never come: there is no password.
                "staff@example.com",
            ] {
                hashes.withLock { $0 = 0 }
                #expect(try await api.login(email, "wrong password").status == 401)
                #expect(hashes.withLock { $0 } == 1, "\(email)")
            }
        }
    }

    @Test("an invite opens an account once; used, wrong and unknown links do not exist")
    func invite() async throws {
        try await TestAPI.run { api in
            let added = try await api.send(
                "POST", "/v1/stores/\(TestAPI.north)/members", as: .owner,
                body: #"{"email":"New@example.com","name":"Nova","role":"staff"}"#)
            #expect(added.status == 201)
            #expect(try added.json["user"]?["email"] == "new@example.com")
            let link = try #require(try added.json["invite"]?["token"]?.text)
            #expect(try await api.login("new@example.com", "0123456789").status == 401)
            func accept(_ token: String, _ password: String = "0123456789") async throws
                -> RawReply
            {
                try await api.send(
                    "POST", "/v1/auth/accept-invite",
                    body: #"{"token":"\#(token)","name":"Nova","password":"\#(password)"}"#)
            }
            #expect(try await accept(link, "short").code == "validation_failed")
            for wrong in ["x", Tokens.link.make().reveal()] {
                #expect(try await accept(wrong).code == "not_found")
            }
            let session = try Account.Session(try await accept(link))
            let stores = try await api.send("GET", "/v1/me/stores", token: session.access).json
            #expect(stores["data"]?.array?.first?["id"]?.text == TestAPI.north.description)
            #expect(try await accept(link).code == "not_found")
            #expect(try await api.login("new@example.com", "0123456789").status == 200)
        }
    }

    /// Invited by both stores before they come: as owner of `north`, as staff of `south`.
    private static func invitedTwice(_ api: TestAPI) async throws -> (north: String, south: String)
    {
        func invite(_ store: StoreID, _ who: TestAPI.Who, _ role: String) async throws -> String {
            let reply = try await api.send(
                "POST", "/v1/stores/\(store)/members", as: who,
                body: #"{"email":"boss@example.com","role":"\#(role)"}"#)
            return try #require(try reply.json["invite"]?["token"]?.text, "\(reply.text)")
        }
        return (
            try await invite(TestAPI.north, .owner, "owner"),
            try await invite(TestAPI.south, .stranger, "staff")
        )
    }

    private static func take(
        _ api: TestAPI, _ link: String, password: String
    ) async throws -> Account.Session {
        try Account.Session(
            try await api.send(
                "POST", "/v1/auth/accept-invite",
                body: #"{"token":"\#(link)","password":"\#(password)"}"#))
    }

    private static func stores(_ api: TestAPI, _ session: Account.Session) async throws -> [String]
    {
        try await api.send("GET", "/v1/me/stores", token: session.access).json["data"]?.array?
            .compactMap { $0["name"]?.text } ?? []
    }

    @Test("an invite opens its own store, and none of those where the person waits or is a member")
    func inviteOfOneStore() async throws {
        try await TestAPI.run { api in
            let links = try await Self.invitedTwice(api)
            let intruder = try await Self.take(api, links.south, password: "of somebody else")
            #expect(try await Self.stores(api, intruder) == ["South"])
            let north = "/v1/stores/\(TestAPI.north)"
            #expect(try await api.send("GET", north, token: intruder.access).status == 404)

            let boss = try await Self.take(api, links.north, password: "0123456789")
            #expect(try await Self.stores(api, boss) == ["North"])
            #expect(try await api.send("GET", north, token: boss.access).status == 200)
            let me = try await api.send("GET", "/v1/me", token: intruder.access)
            #expect(me.code == "session_ended")
            #expect(try await api.login("boss@example.com", "of somebody else").status == 401)
            let audit =
                try await api.send(
                    "GET", "/v1/stores/\(TestAPI.south)/audit", as: .stranger
                ).json["data"]?.array?.compactMap { $0["act"]?.text } ?? []
            #expect(audit.contains("member.waits"))
        }
    }

    @Test("who takes a second invite with the password that they have is a member of both stores")
    func inviteOfOneWhoIsKnown() async throws {
        try await TestAPI.run { api in
            let links = try await Self.invitedTwice(api)
            _ = try await Self.take(api, links.south, password: "0123456789")
            let boss = try await Self.take(api, links.north, password: "0123456789")
            #expect(try await Self.stores(api, boss).sorted() == ["North", "South"])
            #expect(try await api.login("boss@example.com", "0123456789").status == 200)
        }
    }

    @Test("a link of somebody who is shut out opens nothing and is not spent by trying")
    func disabled() async throws {
        try await TestAPI.run { api in
            let account = try await api.account(in: TestAPI.north)
            let reply = try await api.send(
                "POST", "/v1/stores/\(TestAPI.north)/members/\(account.id)/reset", as: .owner)
            let link = try #require(try reply.json["invite"]?["token"]?.text)
            func take() async throws -> RawReply {
                try await api.send(
                    "POST", "/v1/auth/accept-invite",
                    body: #"{"token":"\#(link)","password":"another password"}"#)
            }
            try await api.sql(
                "update sineta.users set disabled_at = now() where id = $1", .id(account.id))
            #expect(try await take().code == "not_found")
            // As it would be taken by one who was looked up just before they were shut out.
            let taken = try await api.services.door.open(deadline: .after(.seconds(30))) {
                try Links.take(
                    hash: api.services.tokens.hash(link), name: nil, passwordHash: "x",
                    network: "192.0.2.1", session: SessionID(.v7()), deviceName: nil,
                    tokens: api.services.tokens.pair(
                        refresh: Tokens.refresh.make(), lives: api.parts.lives
                    ).kept, in: $0)
            }
            #expect(taken == nil)
            try await api.sql("update sineta.users set disabled_at = null")
            #expect(try await take().status == 200)
        }
    }

    @Test(
        "a reset sets the password and ends the sessions there were; one that is too old does not")
    func reset() async throws {
        try await TestAPI.run { api in
            let account = try await api.account(in: TestAPI.north)
            let path = "/v1/stores/\(TestAPI.north)/members/\(account.id)/reset"
            func link() async throws -> String {
                let reply = try await api.send("POST", path, as: .owner)
                return try #require(try reply.json["invite"]?["token"]?.text, "\(reply.text)")
            }
            func take(_ link: String) async throws -> RawReply {
                try await api.send(
                    "POST", "/v1/auth/accept-invite",
                    body: #"{"token":"\#(link)","password":"another password"}"#)
            }
            let old = try await link()
            try await api.sql("update sineta.links set expires_at = now()")
            #expect(try await take(old).code == "not_found")
            #expect(try await take(try await link()).status == 200)
            let me = try await api.send("GET", "/v1/me", token: account.session.access)
            #expect(me.code == "session_ended")
            #expect(try await api.login(account.email, Account.password).status == 401)
            #expect(try await api.login(account.email, "another password").status == 200)
        }
    }
}
