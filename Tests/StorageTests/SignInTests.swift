import Alerts
import Cryptography
import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("Signing in, by password or by link")
struct SignInTests {
    @Test("guesses are refused after five, but not where the person signed in before")
    func guesses() async throws {
        try await World.run { world in
            let ana = try await world.person()
            func attempt(from network: String, address: String) async throws
                -> Sessions.LoginAttempt
            {
                try await world.run(as: .api) { transaction in
                    try Sessions.beginLogin(
                        email: ana.email, network: network, address: address, in: transaction)
                }
            }
            for number in 1...5 {
                let answer = try await attempt(from: "198.51.100.1", address: "a\(number)")
                #expect(answer.retryAfter == .zero)
                #expect(answer.user == ana.id)
            }
            let refused = try await attempt(from: "198.51.100.1", address: "b")
            #expect(refused.retryAfter > .zero)
            #expect(refused.passwordHash == nil)
            let home = try await attempt(from: "203.0.113.7", address: "c")
            #expect(home.retryAfter == .zero)
            #expect(home.slowDown <= .seconds(2))
            #expect(home.passwordHash == World.passwordHash)
        }
    }

    @Test("an address has thirty attempts a minute")
    func addressLimit() async throws {
        try await World.run { world in
            for number in 1...31 {
                let answer = try await world.run(as: .api) { transaction in
                    try Sessions.beginLogin(
                        email: "nobody-\(number)@example.com", network: "n", address: "one",
                        in: transaction)
                }
                #expect((answer.retryAfter > .zero) == (number == 31))
                #expect(answer.user == nil)
            }
        }
    }

    @Test("a link is taken once, also by two at once, and spends the others of its store")
    func links() async throws {
        try await World.run { world in
            let shop = try await world.shop()
            let nova = try await world.invite("nova", to: shop)
            let again = SecureRandom.bytes(32)
            let answer = try await world.run(shop.owner.credential) { transaction in
                try Members.reset(
                    shop.id, nova.user, managed: [shop.id], hash: again, resetLife: .seconds(60),
                    inviteLife: .seconds(600), in: transaction)
            }
            guard case .link(isInvite: true, _) = answer else {
                Issue.record("\(answer)")
                return
            }
            async let first = world.take(nova.link)
            async let second = world.take(nova.link)
            let taken = try await [first, second].compactMap { $0 }
            #expect(taken.count == 1)
            #expect(taken.first?.id == nova.user)
            #expect(try await world.joined(nova.user) == [shop.id])
            #expect(try await world.take(again) == nil)
        }
    }

    @Test("a reset link is refused where it would open more than the caller manages")
    func resetAuthority() async throws {
        try await World.run { world in
            let mine = try await world.shop()
            let theirs = try await world.shop()
            // The owner of another store can be added by their address; their password is theirs.
            let known = try await world.run(mine.owner.credential) { transaction in
                try Members.add(
                    mine.id, NewMember(email: theirs.owner.email, role: .staff),
                    newUser: UserID(.v7()), invite: LinkTerms(hash: [1], life: .seconds(60)),
                    in: transaction)
            }
            #expect(known?.inviteExpiresAt == nil)
            let answer = try await world.run(mine.owner.credential) { transaction in
                try Members.reset(
                    mine.id, theirs.owner.id, managed: [mine.id], hash: [2],
                    resetLife: .seconds(60), inviteLife: .seconds(60), in: transaction)
            }
            #expect(answer == .forbidden)
        }
    }
}
