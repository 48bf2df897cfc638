import Alerts
import Foundation
import HTTP2
import Jobs
import Postgres
import Push
import Runtime
import Simulator
import Storage
import TestKit
import Testing
import Values
import Worker

@Suite("The worker against the simulator", .timeLimit(.minutes(2)))
struct AgainstSimulatorTests {
    static let token = String(repeating: "ab", count: 32)

    @Test("every attempt travels with the same apns-id, which is the job's, until it is accepted")
    func sameID() async throws {
        try await Self.with { harbour, simulator, sender in
            let shop = try await harbour.shop(token: Self.token)
            simulator.script.add(ScriptRule.refusing(Self.token, times: 2))
            try await harbour.raise(shop.store)
            try await harbour.working([Harbour.apns: sender]) { try await harbour.settle() }
            let entries = simulator.inbox.entries()
            #expect(entries.map { $0.answered?.status } == [503, 503, 200])
            let ids = Set(entries.compactMap { $0.header("apns-id") })
            let kept = try await harbour.texts("select id::text from sineta.deliveries")
            #expect(ids == Set(kept))
            #expect(
                try await harbour.count("select attempts from sineta.deliveries") == 3)
            #expect(Set(entries.compactMap { $0.header("apns-collapse-id") }).count == 1)
        }
    }

    @Test("a page of a proxy's, whatever its status, costs one try and holds up nobody else")
    func proxyPage() async throws {
        try await Self.with { harbour, simulator, sender in
            let shop = try await harbour.shop(token: Self.token)
            for status in [403, 410] {
                var rule = ScriptRule()
                rule.token = Self.token
                rule.next = 1
                rule.status = status
                rule.body = Array("<html>Forbidden</html>".utf8)
                simulator.script.add(rule)
            }
            try await harbour.raise(shop.store)
            try await harbour.working([Harbour.apns: sender]) { try await harbour.settle() }
            let entries = simulator.inbox.entries()
            #expect(Set(entries.compactMap { $0.answered?.status }) == [403, 410, 200])
            #expect(try await harbour.outcomes() == ["accepted": 1])
            let closed = try await harbour.texts(
                "select state from sineta.lane_states where state <> 'off'")
            #expect(closed.isEmpty)
            #expect(try await harbour.count("select count(*) from sineta.devices") == 1)
        }
    }

    @Test("a backlog goes out whole and once, over the real client")
    func backlog() async throws {
        try await Self.with { harbour, simulator, sender in
            let store = try await harbour.store()
            for number in 0..<10 {
                let user = try await harbour.member(of: store)
                let digits = String(number, radix: 16)
                try await harbour.phone(
                    of: user, token: String(repeating: "0\(digits)", count: 32))
            }
            for _ in 0..<5 { try await harbour.raise(store, count: 20) }
            // A slow machine sends late, and what it takes for lost it sends again.
            var settings = Harbour.settings
            settings.providerTimeout = .seconds(60)
            settings.lease = .seconds(150)
            try await harbour.working([Harbour.apns: sender], settings: settings) {
                try await harbour.settle()
            }
            let counts = simulator.inbox.counts.apnsProduction
            #expect(counts.accepted == 1000)
            #expect(counts.duplicates == 0)
            #expect(try await harbour.outcomes() == ["accepted": 1000])
        }
    }

    private static func with(
        _ body: (Harbour, Simulator, APNsSender) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder("worker")
        defer { folder.remove() }
        let credentials = try SimulatorCredentials.make()
        let authority = try folder.write(credentials.authorityPEM, as: "ca.pem")
        let simulator = Simulator(.anywhere, credentials: credentials)
        let ports = try simulator.start()
        let sender = APNsSender(
            route: .apns(.production),
            credentials: APNsCredentials(
                key: credentials.apnsKey, keyID: credentials.apnsKeyID,
                teamID: credentials.apnsTeamID, bundleID: credentials.apnsTopic),
            endpoint: try PushEndpoint(
                url: "https://127.0.0.1:\(ports.apnsProduction)", variable: "X",
                caPath: authority))
        try await Harbour.with { harbour in try await body(harbour, simulator, sender) }
        sender.close()
        await simulator.stop()
    }
}

extension ScriptRule {
    /// 503 for a token, so many times.
    fileprivate static func refusing(_ token: String, times: Int) -> ScriptRule {
        var rule = ScriptRule()
        rule.token = token
        rule.next = times
        rule.status = 503
        rule.reason = "ServiceUnavailable"
        return rule
    }
}
