import HTTP2
import JSON
import Runtime
import Simulator
import Testing
import Values

@Suite("The inbox")
struct InboxTests {
    @Test("entries are kept in order, are asked for by token and provider, and can be emptied")
    func entries() async throws {
        let bench = try Bench()
        let apns = try bench.client(bench.ports.apnsProduction)
        let fcm = try bench.client(bench.ports.fcm)
        let authorization = try bench.jwt()
        for token in ["aa01", "AA02", "aa01"] {
            _ = try await apns.ask(bench.push(token: token, authorization: authorization))
        }
        let bearer = try await bench.accessToken(fcm)
        _ = try await fcm.ask(bench.message(#"{"message":{"token":"AA02"}}"#, bearer: bearer))
        let inbox = bench.simulator.inbox
        #expect(inbox.entries().map(\.number) == [1, 2, 3, 4])
        #expect(inbox.entries(token: "aa01").map(\.number) == [1, 3])
        #expect(inbox.entries(token: "AA02").map(\.number) == [2, 4])
        #expect(inbox.entries(provider: .fcm).map(\.number) == [4])
        #expect(inbox.entries(after: 2).map(\.number) == [3, 4])
        #expect(inbox.entries(after: 1, token: "aa01").map(\.number) == [3])
        #expect(inbox.entries(after: 4).isEmpty)
        inbox.empty()
        #expect(inbox.entries().isEmpty)
        #expect(inbox.counts.requests == 0)
    }

    @Test("a push that repeats an accepted one is counted as its duplicate")
    func duplicates() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        let push = bench.push(authorization: try bench.jwt())
        bench.simulator.script.add(ScriptRule(next: 1, status: 503, reason: "ServiceUnavailable"))
        for _ in 0..<3 { _ = try await client.ask(push) }
        let counts = bench.simulator.inbox.counts.apnsProduction
        #expect(counts.requests == 3)
        #expect(counts.accepted == 2)
        #expect(counts.refused == ["ServiceUnavailable": 1])
        #expect(counts.duplicates == 1)
    }

    @Test("the oldest go when it is full, and with discard only counts stay")
    func bounds() async throws {
        for (discards, kept) in [(false, [2, 3]), (true, [])] {
            let bench = try Bench {
                $0.inboxLimit = 2
                $0.discards = discards
            }
            let client = try bench.client(bench.ports.apnsProduction)
            let push = bench.push(authorization: try bench.jwt())
            for _ in 0..<3 { _ = try await client.ask(push) }
            #expect(bench.simulator.inbox.entries().map(\.number) == kept)
            #expect(bench.simulator.inbox.entries(after: 2).map(\.number) == Array(kept.suffix(1)))
            #expect(bench.simulator.inbox.counts.accepted == 3)
        }
    }

    @Test("a wait ends when the count is there, or with its deadline")
    func waiting() async throws {
        let bench = try Bench()
        let inbox = bench.simulator.inbox
        #expect(await inbox.wait(forAccepted: 1, until: .after(.milliseconds(20))) == false)
        async let isThere = inbox.wait(forAccepted: 2, until: .after(.seconds(30)))
        let client = try bench.client(bench.ports.apnsProduction)
        let push = bench.push(authorization: try bench.jwt())
        for _ in 0..<2 { _ = try await client.ask(push) }
        #expect(await isThere)
        #expect(await inbox.wait(forRequests: 2, until: .after(.zero)))
    }
}
