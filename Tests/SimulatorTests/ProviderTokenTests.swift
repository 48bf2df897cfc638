import Cryptography
import HTTP2
import JSON
import Runtime
import Simulator
import Testing
import Values

@Suite("The provider token at the double of APNs")
struct ProviderTokenTests {
    private func reason(_ authorization: String, _ bench: Bench) async throws -> String? {
        let client = try bench.client(bench.ports.apnsProduction)
        return try await client.ask(bench.push(authorization: authorization)).json["reason"]?.text
    }

    @Test("a token that no key of ours has signed, or with other names, is refused")
    func invalid() async throws {
        let bench = try Bench()
        #expect(try await reason("", bench) == "MissingProviderToken")
        #expect(try await reason("basic x", bench) == "InvalidProviderToken")
        #expect(try await reason("bearer a.b.c", bench) == "InvalidProviderToken")
        let stranger = try bench.jwt(key: .generateP256())
        #expect(try await reason(stranger, bench) == "InvalidProviderToken")
        #expect(try await reason(bench.jwt(keyID: "OTHER00001"), bench) == "InvalidProviderToken")
        #expect(try await reason(bench.jwt(team: "OTHER00001"), bench) == "InvalidProviderToken")
    }

    @Test("a token is good for an hour; the connection that saw an older one takes no other")
    func expiry() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        let old = bench.push(authorization: try bench.jwt())
        bench.clock.advance(.seconds(3600))
        #expect(try await client.ask(old).status == 200)
        bench.clock.advance(.seconds(1))
        let expired = try await client.ask(old)
        #expect(expired.status == 403)
        #expect(expired.text == #"{"reason":"ExpiredProviderToken"}"#)
        let new = bench.push(authorization: try bench.jwt())
        #expect(try await client.ask(new).text == #"{"reason":"ExpiredProviderToken"}"#)
        let fresh = try await client.send(
            new, deadline: .after(.seconds(30)), newerThan: expired.connection
        ).get()
        #expect(fresh.status == 200)
    }

    @Test("a connection takes another token every 20 minutes, another connection at once")
    func updates() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        let first = try bench.jwt()
        #expect(try await client.ask(bench.push(authorization: first)).status == 200)
        bench.clock.advance(.seconds(1199))
        let second = bench.push(authorization: try bench.jwt())
        let early = try await client.ask(second)
        #expect(early.status == 429)
        #expect(early.text == #"{"reason":"TooManyProviderTokenUpdates"}"#)
        #expect(try await client.ask(bench.push(authorization: first)).status == 200)
        bench.clock.advance(.seconds(1))
        #expect(try await client.ask(second).status == 200)
        let other = try bench.client(bench.ports.apnsProduction)
        #expect(try await other.ask(bench.push(authorization: first)).status == 200)
    }

    @Test("one stream is granted until a good token was seen, many afterwards")
    func streams() async throws {
        let bench = try Bench { $0.apnsStreams = 500 }
        let client = try bench.client(bench.ports.apnsProduction)
        _ = try await client.ask(bench.push(authorization: "bearer none"))
        #expect(client.freeStreams == 1)
        let good = bench.push(authorization: try bench.jwt())
        #expect(try await client.ask(good).status == 200)
        // The new limit travels with the answer.
        #expect(try await client.ask(good).status == 200)
        #expect(client.freeStreams >= 499)
    }
}
