import HTTP2
import JSON
import Runtime
import Simulator
import Testing
import Values

@Suite("The script")
struct ScriptTests {
    private func rule(_ text: String) throws -> ScriptRule {
        try ScriptRule(json: JSONValue.parse(Array(text.utf8)))
    }

    @Test("a rule is read from its JSON")
    func reading() throws {
        let read = try rule(
            #"{"token":"ab","provider":"apns","environment":"sandbox","next":2,"status":429,"#
                + #""reason":"TooManyRequests","headers":{"Retry-After":"5"},"delay":0.5,"#
                + #""body":{"x":1},"connection":{"goaway":7,"max_concurrent_streams":1}}"#)
        #expect(
            read
                == ScriptRule(
                    token: "ab", provider: .apns, environment: "sandbox", next: 2, status: 429,
                    reason: "TooManyRequests", headers: [HTTP2Header("retry-after", "5")],
                    body: Array(#"{"x":1}"#.utf8), delay: .milliseconds(500),
                    accidents: [.goaway(lastStream: 7), .maxConcurrentStreams(1)]))
    }

    @Test(
        "a rule that is not understood is refused by the member's name",
        arguments: [
            ("[]", "must be an object"), (#"{"tokens":"x"}"#, "tokens: unknown"),
            (#"{"status":42}"#, "status: must be 200 to 599"),
            (#"{"next":0}"#, "next: must be 1 or more"),
            (#"{"connection":{"explode":true}}"#, "connection.explode: not understood"),
        ])
    func faults(text: String, words: String) throws {
        #expect(throws: ScriptFault.self) { try rule(text) }
        do { _ = try rule(text) } catch { #expect("\(error)" == words) }
    }

    @Test("rules fit by token and provider, are used up, and make the provider's own bodies")
    func matching() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        let authorization = try bench.jwt()
        bench.simulator.script.add(
            try rule(#"{"token":"aa","status":410,"reason":"Unregistered"}"#))
        bench.simulator.script.add(
            try rule(#"{"next":1,"status":503,"reason":"Shutdown","headers":{"retry-after":"9"}}"#))
        let gone = bench.push(token: "aa", authorization: authorization)
        let other = bench.push(token: "bb", authorization: authorization)
        #expect(
            try await client.ask(gone).text
                == #"{"reason":"Unregistered","timestamp":1796000000000}"#)
        let once = try await client.ask(other)
        #expect(once.status == 503)
        #expect(once.headers["retry-after"] == "9")
        #expect(try await client.ask(other).status == 200)
        #expect(try await client.ask(gone).status == 410)
        bench.simulator.script.clear()
        #expect(try await client.ask(gone).status == 200)
    }

    @Test(
        "FCM's words come in FCM's shapes, the token endpoint's in its own",
        arguments: [
            ("QUOTA_EXCEEDED", 429, "RESOURCE_EXHAUSTED"), ("UNAVAILABLE", 503, "UNAVAILABLE"),
            ("INTERNAL", 500, "INTERNAL"), ("THIRD_PARTY_AUTH_ERROR", 401, "UNAUTHENTICATED"),
            ("PERMISSION_DENIED", 403, "PERMISSION_DENIED"),
        ])
    func google(reason: String, status: Int, code: String) async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.fcm)
        bench.simulator.script.add(ScriptRule(provider: .fcm, status: status, reason: reason))
        bench.simulator.script.add(
            ScriptRule(provider: .token, status: 400, reason: "invalid_grant"))
        let send = try await client.ask(
            bench.message(#"{"message":{"token":"t"}}"#, bearer: "x"))
        #expect(send.status == status)
        #expect(send.json["error"]?["status"]?.text == code)
        let word = send.json["error"]?["details"]?[0]?["errorCode"]?.text
        #expect(word == (reason == code && status == 403 ? nil : reason))
        let token = try await client.ask(bench.tokenRequest(bench.assertion()))
        #expect(token.json["error"]?.text == "invalid_grant")
    }

    // Case G11 at the simulator: 3 of 20 are taken, then GOAWAY.
    @Test("a scripted GOAWAY in a burst costs no push, and none arrives twice")
    func goaway() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        let authorization = try bench.jwt()
        _ = try await client.ask(bench.push(authorization: authorization))
        bench.simulator.inbox.empty()
        bench.simulator.script.add(try rule(#"{"token":"aa02","connection":{"goaway":true}}"#))
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<20 {
                let digits = String(index + 100).dropFirst()
                let id = "eabeae54-14a8-11e5-b60b-1697f925ec\(digits)"
                let push = bench.push(
                    token: "aa\(digits)", authorization: authorization, headers: ["apns-id": id])
                group.addTask { try await client.ask(push).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 20))
        #expect(bench.simulator.inbox.counts.accepted == 20)
        #expect(bench.simulator.inbox.counts.duplicates == 0)
        #expect(Set(bench.simulator.inbox.entries().map(\.connection)).count == 2)
    }

    @Test("a closed, a frozen and a refusing connection do what they say")
    func accidents() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        let push = bench.push(authorization: try bench.jwt())
        _ = try await client.ask(push)
        bench.simulator.script.add(try rule(#"{"next":1,"connection":{"close":true}}"#))
        let closed = await client.send(push, deadline: .after(.seconds(30)))
        guard case .failure(.unknown(.connectionLost)) = closed else {
            Issue.record("\(closed)")
            return
        }
        bench.simulator.script.add(try rule(#"{"next":1,"connection":{"refuse_streams":1}}"#))
        #expect(try await client.ask(push).status == 200)
        bench.simulator.script.add(try rule(#"{"next":1,"connection":{"freeze":true}}"#))
        var frozen: Result<HTTP2Response, HTTP2Failure> = .failure(.timeout(wasSent: false))
        // On a busy machine the time may pass before the push has left; the rule waits for it.
        for _ in 0..<60 where frozen == .failure(.timeout(wasSent: false)) {
            frozen = await client.send(push, deadline: .after(.milliseconds(200)))
        }
        #expect(frozen == .failure(.timeout(wasSent: true)))
        #expect(try await client.ask(push).status == 200)
        #expect(bench.simulator.inbox.counts.apnsProduction.unanswered == 3)
    }
}
