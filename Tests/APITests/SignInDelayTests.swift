import Postgres
import Runtime
import Storage
import TestKit
import Testing
import Values

@testable import API

/// How guessing gets slower. The counters' times are moved in the database: nobody waits.
@Suite("Delays of signing in")
struct SignInDelayTests {
    private static let stranger = "203.0.113.9"

    /// One attempt, as it is counted before its password is looked at.
    private static func attempt(
        _ api: TestAPI, _ email: String, from network: String = stranger
    ) async throws -> Sessions.LoginAttempt {
        try await api.services.door.open(deadline: .after(.seconds(30))) {
            try Sessions.beginLogin(
                email: email, network: network, address: network, in: $0)
        }
    }

    /// How long the pair of account and network is held back since its last attempt, in seconds.
    private static func hold(_ api: TestAPI) async throws -> Int {
        try await api.count(
            """
            select coalesce(round(extract(epoch from blocked_until - last_at)), 0)::bigint
            from sineta.login_counters where scope = 'pair'
            """)
    }

    @Test("five attempts are free, then it takes 15 s, doubled each time up to 15 minutes")
    func doubling() async throws {
        try await TestAPI.run { api in
            let account = try await api.account()
            // Its own sign-in was from another network, and took its counters back.
            for (number, wait) in [0, 0, 0, 0, 15, 30, 60, 120, 240, 480, 900, 900].enumerated() {
                let taken = try await Self.attempt(api, account.email)
                #expect(taken.retryAfter == .zero)
                #expect(taken.user == account.id)
                #expect(try await Self.hold(api) == wait, "attempt \(number + 1)")
                guard wait > 0 else { continue }
                let refused = try await Self.attempt(api, account.email)
                #expect(refused.retryAfter > .zero && refused.retryAfter <= .seconds(wait))
                #expect(refused.user == nil && refused.passwordHash == nil)
                // One that is refused makes it no longer.
                #expect(try await Self.hold(api) == wait)
                try await api.sql(
                    """
                    update sineta.login_counters set blocked_until = now() - interval '1 second'
                    where scope = 'pair'
                    """)
                try await api.sql("delete from sineta.login_counters where scope = 'address'")
            }
            // After an hour of quiet it begins anew.
            try await api.sql(
                "update sineta.login_counters set last_at = last_at - interval '61 minutes'")
            #expect(try await Self.attempt(api, account.email).retryAfter == .zero)
            #expect(try await Self.hold(api) == 0)
        }
    }

    @Test("an account that many networks try is slowed, up to two seconds, and refused to none")
    func account() async throws {
        try await TestAPI.run { api in
            let account = try await api.account()
            let waits = [0, 0, 0, 0, 0, 125, 250, 500, 1000, 2000, 2000, 2000]
            for (number, wait) in waits.enumerated() {
                let taken = try await Self.attempt(
                    api, account.email, from: "203.0.113.\(number)")
                #expect(taken.retryAfter == .zero)
                #expect(taken.user == account.id)
                #expect(taken.slowDown == .milliseconds(wait), "attempt \(number + 1)")
            }
            let other = try await api.account("bia")
            #expect(try await Self.attempt(api, other.email).slowDown == .zero)
            try await api.sql(
                "update sineta.login_counters set last_at = last_at - interval '16 minutes'")
            let later = try await Self.attempt(api, account.email, from: "203.0.113.99")
            #expect(later.slowDown == .zero)
        }
    }

    @Test(
        "a network that signed in within 90 days is slowed and never refused, after that it is",
        arguments: [(hours: 90 * 24 - 1, isKnown: true), (hours: 90 * 24 + 1, isKnown: false)])
    func known(_ row: (hours: Int, isKnown: Bool)) async throws {
        try await TestAPI.run(proxies: ["127.0.0.1"]) { api in
            let account = try await api.account()
            let header = "X-Forwarded-For: \(Self.stranger)"
            let reply = try await api.login(
                account.email, Account.password, headers: [header])
            #expect(reply.status == 200)
            try await api.sql(
                """
                update sineta.login_networks set last_at = now() - $1 * interval '1 hour'
                where network = $2
                """, .int32(Int32(row.hours)), .text(Self.stranger))
            // Held back for long, and tried six times by many.
            for _ in 0..<6 {
                try await api.sql("update sineta.login_counters set blocked_until = null")
                _ = try await Self.attempt(api, account.email)
            }
            try await api.sql(
                """
                update sineta.login_counters set blocked_until = now() + interval '10 minutes'
                where scope = 'pair'
                """)
            let taken = try await Self.attempt(api, account.email)
            if row.isKnown {
                #expect(taken.retryAfter == .zero)
                #expect(taken.user == account.id)
                #expect(taken.slowDown == .seconds(2))
            } else {
                #expect(taken.retryAfter > .seconds(300))
                #expect(taken.user == nil)
            }
        }
    }
}
