import Cryptography
import JSON
import Runtime
import Testing
import Values

@testable import Push

@Suite("The provider token of APNs")
struct APNsTokenSourceTests {
    let clock = TestClock()
    let key: SigningKey
    let source: APNsTokenSource

    init() throws {
        key = try SigningKey.generateP256()
        source = APNsTokenSource(
            APNsCredentials(
                key: key, keyID: "KEY1234567", teamID: "TEAM123456", bundleID: "com.example"),
            clock: clock.push, metrics: PushMetrics(Metrics(), .apns(.production)))
    }

    @Test("it names key, team and time of signing, by ES256")
    func claims() throws {
        let bearer = try source.current().bearer.reveal()
        #expect(bearer.hasPrefix("bearer "))
        let jwt = try JWT.verify(String(bearer.dropFirst(7)), with: .es256(key.verifyingKey))
        #expect(jwt.header["kid"]?.text == "KEY1234567")
        #expect(jwt.claims.keys == ["iss", "iat"])
        #expect(jwt.claims["iss"]?.text == "TEAM123456")
        #expect(jwt.claims["iat"]?.integer == clock.now.seconds)
    }

    @Test(
        "it is kept for 40 minutes",
        arguments: [(0, 1), (19, 1), (25, 1), (39, 1), (40, 2), (50, 2), (65, 2), (600, 2)])
    func life(minutes: Int, number: Int) throws {
        _ = try source.current()
        clock.advance(minutes: minutes)
        #expect(try source.current().number == number)
    }

    @Test("whenever it is asked for over a day, none is younger than 20 or older than 60 minutes")
    func spacing() throws {
        var generator = SystemRandomNumberGenerator()
        let start = clock.now
        var (number, signedAt) = (0, start)
        while clock.now - start < .seconds(86_400) {
            let token = try source.current()
            if token.number != number {
                #expect(number == 0 || clock.now - signedAt >= .seconds(20 * 60))
                (number, signedAt) = (token.number, clock.now)
            }
            #expect(clock.now - signedAt < .seconds(60 * 60))
            clock.advance(.seconds(Int.random(in: 1...900, using: &generator)))
        }
        #expect(number >= 24)
    }

    @Test("a thousand who ask at once get one token")
    func stampede() async throws {
        let bearers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<1000 { group.addTask { try source.current().bearer.reveal() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(bearers.count == 1)
    }

    @Test("one that was called expired is replaced once for all who ask")
    func replacement() async throws {
        let first = try source.current()
        let numbers = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<300 {
                group.addTask { try source.replacement(for: first.number)?.number }
            }
            return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
        }
        #expect(numbers == [2])
        #expect(try source.current().number == 2)
    }

    @Test("a replacement that is refused too is not replaced before twenty minutes have passed")
    func patience() throws {
        _ = try source.current()
        #expect(try source.replacement(for: 1)?.number == 2)
        #expect(try source.replacement(for: 2) == nil)
        clock.advance(minutes: 19)
        #expect(try source.replacement(for: 2) == nil)
        clock.advance(minutes: 1)
        #expect(try source.replacement(for: 2)?.number == 3)
    }

    @Test("a clock that was set back far makes a new token, a little does not")
    func clockSetBack() throws {
        _ = try source.current()
        clock.advance(minutes: -10)
        #expect(try source.current().number == 1)
        clock.advance(minutes: -50)
        #expect(try source.current().number == 2)
    }
}
