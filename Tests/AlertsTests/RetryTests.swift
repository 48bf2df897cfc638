import Alerts
import Testing
import Values

@Suite("When to try again")
struct RetryTests {
    @Test(
        "the wait doubles up to the cap, between one half and the whole",
        arguments: [
            (1, 1.0, 2000), (2, 2.0, 4000), (3, 4.0, 8000), (4, 8.0, 16_000), (8, 128, 256_000),
            (9, 150, 300_000), (100, 150, 300_000),
        ] as [(Int, Double, Int64)])
    func delay(attempt: Int, least: Double, most: Int64) {
        let backoff = Backoff()
        #expect(backoff.delay(after: attempt, random: 0) == .seconds(least))
        #expect(backoff.delay(after: attempt, random: 1) == .milliseconds(most))
    }

    @Test("any attempt, base and random number give a finite wait within the cap")
    func finite() {
        let odd = [Int.min, -1, 0] + Array(1...100) + [Int.max]
        let bases: [Duration] = [.zero, .seconds(2), .seconds(1 << 40)]
        for base in bases {
            for attempt in odd {
                for random in [-1, 0, 0.5, 1, 2, .infinity, .nan] {
                    let wait = Backoff(base: base).delay(after: attempt, random: random)
                    #expect(wait > .zero && wait <= .seconds(300))
                }
            }
        }
        let means = (1...100).map { Backoff().delay(after: $0, random: 0.5) }
        #expect(zip(means, means.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("what failed together is spread over at least a fifth of the wait on either side")
    func spread() {
        var random = SystemRandomNumberGenerator()
        let waits = (0..<500).map { _ in
            Backoff().delay(after: 3, random: .random(in: 0..<1, using: &random)).secondsAsDouble
        }
        #expect((waits.min() ?? 0) < 6 * 0.8 && (waits.max() ?? 0) > 6 * 1.2)
    }

    @Test("a wait is never shorter than the provider asked")
    func floor() {
        #expect(Backoff().delay(after: 1, random: 0, floor: .seconds(600)) == .seconds(600))
        #expect(Backoff().delay(after: 9, random: 1, floor: .seconds(1)) == .seconds(300))
    }

    static let now = Fixtures.time

    @Test("five attempts and no sixth, and nothing waits beyond its life")
    func attempts() {
        func next(_ attempts: Int, notBefore: Duration? = nil, life: Duration) -> NextAttempt {
            .decide(
                attempts: attempts, policy: RetryPolicy(), notBefore: notBefore, now: Self.now,
                expiresAt: Self.now + life, random: 1)
        }
        #expect(next(1, life: .seconds(3600)) == .at(Self.now + .seconds(2)))
        #expect(next(4, life: .seconds(3600)) == .at(Self.now + .seconds(16)))
        #expect(next(5, life: .seconds(3600)) == .dead)
        #expect(next(6, life: .seconds(3600)) == .dead)
        #expect(next(1, life: .seconds(2)) == .expired)
        #expect(next(1, notBefore: .seconds(3600), life: .seconds(3600)) == .expired)
        #expect(
            next(1, notBefore: .seconds(120), life: .seconds(3600))
                == .at(Self.now + .seconds(120)))
        #expect(
            NextAttempt.decide(
                attempts: 1, policy: RetryPolicy(), notBefore: .seconds(1 << 33), now: Self.now,
                expiresAt: nil, random: 0) == .at(Self.now + .seconds(1 << 33)))
    }

    static let waits: [(String, Duration?)] = [
        ("120", .seconds(120)), (" 120\t", .seconds(120)), ("0", nil), ("-1", nil), ("", nil),
        ("soon", nil), ("1.5", nil), ("1e3", nil), ("+5", nil), ("٣", nil),
        ("99999999999999999999", .seconds(10 * 365 * 86400)),
        ("999999999999", .seconds(10 * 365 * 86400)),
        ("Wed, 28 Oct 2026 09:16:03 GMT", .milliseconds(119_100)),
        ("Wednesday, 28-Oct-26 09:16:03 GMT", .milliseconds(119_100)),
        ("Wed Oct 28 09:16:03 2026", .milliseconds(119_100)),
        ("Sun Nov  1 09:14:04 2026", .milliseconds(4 * 86_400_000 + 100)),
        ("Wed, 28 Oct 2026 09:14:03 GMT", nil), ("Sun, 06 Nov 1994 08:49:37 GMT", nil),
        ("Wed, 28 Oct 2026 09:16:03", nil), ("Wed, 28 Oct 2026 09:16:03 BRT", nil),
        ("Wed, 31 Feb 2027 09:16:03 GMT", nil), ("Wed, 28 Okt 2026 09:16:03 GMT", nil),
        ("Wed, 28 Oct 2026 25:16:03 GMT", nil), ("2026-10-28T09:16:03Z", nil),
        ("Fri, 31 Dec 9999 23:59:59 GMT", .seconds(10 * 365 * 86400)),
    ]

    @Test(
        "Retry-After is read in every form, and counts as absent when it makes no sense",
        arguments: waits)
    func retryAfter(text: String, expected: Duration?) {
        #expect(RetryAfter.wait(text, now: Self.now) == expected)
    }
}

@Suite("Outages and refusals")
struct OutageTests {
    static let failure = ProviderOutcome.noAnswer("timeout")
    static let word = ProviderWord(status: 403, reason: "InvalidProviderToken")
    static let refused = ProviderOutcome.credentialsRefused(word, remedy: nil)
    static let throttled = ProviderOutcome.throttled(word, notBefore: nil)
    static let accepted = ProviderOutcome.accepted(messageID: nil)

    @Test("the breaker opens at the third failure in a row and any other answer starts over")
    func breaker() {
        var breaker = Breaker()
        for other in [Self.accepted, Self.throttled, Self.refused] {
            #expect(breaker.note(Self.failure) == nil)
            #expect(breaker.note(Self.failure) == nil)
            #expect(breaker.note(other) == nil)
        }
        #expect(breaker.note(Self.failure) == nil)
        #expect(breaker.note(Self.failure) == nil)
        #expect(breaker.note(Self.failure) == .opened)
        #expect(breaker.note(Self.failure) == nil)
        #expect(breaker.isOpen)
        #expect(breaker.note(Self.accepted) == .closed)
        #expect(breaker.note(Self.failure) == nil)
    }

    @Test("a worker follows what another saw")
    func follows() {
        var breaker = Breaker()
        breaker.follow(isOpen: true)
        #expect(breaker.isOpen)
        breaker.follow(isOpen: false)
        #expect(breaker.failures == 0 && breaker.note(Self.failure) == nil)
    }

    static func mismatch(_ reason: String) -> ProviderOutcome {
        .unregistered(ProviderWord(status: 400, reason: reason), device: .delete)
    }

    @Test(
        "ten mismatches without an acceptance between keep every device from then on",
        arguments: [
            "BadDeviceToken", "DeviceTokenNotForTopic", "SENDER_ID_MISMATCH",
        ])
    func mismatches(reason: String) {
        var guarded = MismatchGuard()
        let answer = Self.mismatch(reason)
        for _ in 1...9 {
            let (outcome, trips) = guarded.note(answer)
            #expect(outcome == answer && !trips)
            // No acceptance: it does not interrupt the row.
            _ = guarded.note(Self.failure)
            _ = guarded.note(Self.mismatch("Unregistered"))
        }
        let tenth = guarded.note(answer)
        #expect(tenth.outcome == answer.keepingDevice && tenth.trips)
        let later = guarded.note(answer)
        #expect(later.outcome == answer.keepingDevice && !later.trips)
        _ = guarded.note(Self.accepted)
        #expect(guarded.note(answer).outcome == answer)
    }

    @Test("an acceptance between starts the row over, an honest 410 is no mismatch")
    func interrupted() {
        var guarded = MismatchGuard()
        for _ in 1...20 {
            _ = guarded.note(Self.mismatch("BadDeviceToken"))
            _ = guarded.note(Self.accepted)
            #expect(guarded.note(Self.mismatch("Unregistered")).outcome != Self.accepted)
        }
        #expect(!guarded.isTripped)
    }
}
