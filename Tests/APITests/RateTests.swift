import HTTPServer
import Runtime
import TestKit
import Testing

@testable import API

/// A clock that stands until it is moved.
final class ManualClock: Sendable {
    private let time = Lock(ContinuousClock.now)

    func now() -> ContinuousClock.Instant { time.withLock { $0 } }

    func move(_ duration: Duration) {
        time.withLock { $0 = $0 + duration }
    }
}

@Suite("Limits of callers")
struct RateTests {
    @Test("a bucket empties, refills evenly and never overflows")
    func bucket() {
        let clock = ManualClock()
        let limiter = RateLimiter(now: clock.now)
        let policy = RatePolicy("p", quota: 3, window: .seconds(60))
        let subject: [UInt8] = [1]
        for left in [2, 1, 0] {
            let decision = limiter.take(policy, of: subject)
            #expect(decision?.isAllowed == true)
            #expect(decision?.remaining == left)
        }
        let refused = limiter.take(policy, of: subject)
        #expect(refused?.isAllowed == false)
        #expect(refused?.retryAfter == 20)
        #expect(refused?.reset == 60)
        #expect(limiter.take(policy, of: [2])?.isAllowed == true)
        clock.move(.seconds(19))
        #expect(limiter.take(policy, of: subject)?.retryAfter == 1)
        clock.move(.seconds(1))
        #expect(limiter.take(policy, of: subject)?.isAllowed == true)
        #expect(limiter.take(policy, of: subject)?.isAllowed == false)
        clock.move(.seconds(3600))
        #expect(limiter.take(policy, of: subject)?.remaining == 2)
    }

    @Test("a batch costs its items, one that is larger than the bucket the whole bucket")
    func batches() {
        let clock = ManualClock()
        let limiter = RateLimiter(now: clock.now)
        let policy = RatePolicy("p", quota: 100, window: .seconds(10))
        #expect(limiter.take(policy, of: [1], cost: 60)?.remaining == 40)
        let refused = limiter.take(policy, of: [1], cost: 60)
        #expect(refused?.isAllowed == false)
        #expect(refused?.remaining == 40)
        #expect(refused?.retryAfter == 2)
        #expect(limiter.take(policy, of: [2], cost: 500)?.remaining == 0)
        let none = RatePolicy("p", quota: 0, window: .seconds(1))
        #expect(limiter.take(none, of: [1], cost: 500) == nil)
    }

    @Test("a session's requests are limited together, others' are not touched")
    func requests() async throws {
        let clock = ManualClock()
        let limits = Services.Limits(requestsPerMinute: 3, eventsPerSecond: 2, eventsBurst: 5)
        let path = "/v1/stores/\(TestAPI.north)/toy/notes"
        try await TestAPI.run(
            Toys.endpoints, limits: limits, rates: RateLimiter(now: clock.now)
        ) { api in
            for left in [2, 1, 0] {
                let reply = try await api.send("GET", path, as: .owner)
                #expect(reply.status == 200)
                #expect(reply.headers["ratelimit-policy"] == "\"requests\";q=3;w=60")
                #expect(reply.headers["ratelimit"]?.hasPrefix("\"requests\";r=\(left);t=") == true)
            }
            let refused = try await api.send("GET", path, as: .owner)
            #expect(refused.status == 429)
            #expect(refused.code == "rate_limited")
            #expect(refused.headers["retry-after"] == "20")
            #expect(refused.headers["ratelimit"] == "\"requests\";r=0;t=60")
            #expect(try await api.send("GET", path, as: .staff).status == 200)
            clock.move(.seconds(20))
            #expect(try await api.send("GET", path, as: .owner).status == 200)
        }
    }

    @Test("a store's events are limited by their number")
    func events() async throws {
        let clock = ManualClock()
        let limits = Services.Limits(requestsPerMinute: 1, eventsPerSecond: 2, eventsBurst: 5)
        try await TestAPI.run(
            Toys.endpoints, limits: limits, rates: RateLimiter(now: clock.now)
        ) { api in
            let path = "/v1/stores/\(TestAPI.north)/toy/events"
            let four = #"{"events":[1,2,3,4]}"#
            let first = try await api.send("POST", path, as: .backend, body: four)
            #expect(first.status == 202)
            #expect(first.headers["ratelimit-policy"] == "\"events\";q=5;w=2")
            let second = try await api.send("POST", path, as: .backend, body: four)
            #expect(second.status == 429)
            #expect(second.headers["retry-after"] == "2")
        }
    }
}

@Suite("Addresses behind proxies")
struct ProxyTests {
    private func client(_ remote: String, _ forwarded: [String], _ trusted: [String]) -> String {
        var headers = HTTPHeaders()
        for line in forwarded { headers.add("X-Forwarded-For", line) }
        return TrustedProxies(trusted).client(
            of: HTTPRequestHead(method: "GET", path: "/", headers: headers, remoteAddress: remote))
    }

    @Test("only what trusted proxies wrote is believed, from right to left")
    func forwarded() {
        let own = ["10.0.0.0/8", "::1"]
        #expect(client("203.0.113.9", ["1.1.1.1"], own) == "203.0.113.9")
        #expect(client("10.0.0.1", ["1.1.1.1"], []) == "10.0.0.1")
        #expect(client("10.0.0.1", ["6.6.6.6, 1.1.1.1"], own) == "1.1.1.1")
        #expect(client("10.0.0.1", ["6.6.6.6", "1.1.1.1, 10.2.3.4"], own) == "1.1.1.1")
        #expect(client("::1", ["2001:db8::1"], own) == "2001:db8::1")
        #expect(client("::ffff:10.0.0.1", ["1.1.1.1"], own) == "1.1.1.1")
        #expect(client("10.0.0.1", ["1.1.1.1, nonsense"], own) == "10.0.0.1")
        #expect(client("10.0.0.1", [], own) == "10.0.0.1")
        #expect(client("", ["1.1.1.1"], own) == "1.1.1.1")
    }

    @Test("an IPv6 client is its /64")
    func network() {
        #expect(IPAddress("2001:db8:1:2:3:4:5:6")?.network == "2001:db8:1:2::/64")
        #expect(IPAddress("::ffff:192.0.2.1")?.network == "192.0.2.1")
    }

    @Test("a client's address is what its handler sees")
    func address() async throws {
        try await TestAPI.run(Toys.endpoints, proxies: ["127.0.0.1"]) { api in
            let reply = try await api.send(
                "POST", "/v1/toy/open", headers: ["X-Forwarded-For: 9.9.9.9, 198.51.100.7"])
            #expect(reply.text == #"{"address":"198.51.100.7"}"#)
        }
    }
}
