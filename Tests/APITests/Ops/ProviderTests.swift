import Alerts
import JSON
import Postgres
import Push
import Simulator
import TestKit
import Testing
import Values

@testable import API

@Suite("Operators and the providers")
struct ProviderTests {
    @Test("a check signs and probes each credential, says what to do, and rings no device")
    func check() async throws {
        let pushes = try SimulatedPushes()
        pushes.simulator.script.add(
            ScriptRule(environment: "sandbox", status: 403, reason: "InvalidProviderToken"))
        let fault = ProviderFault(
            provider: "fcm", variable: "FCM_SERVICE_ACCOUNT_JSON", problem: "is no JSON")
        try await TestAPI.run(
            providers: pushes.providers, providerFaults: [fault]
        ) { api in
            try await api.database.run(
                """
                insert into sineta.lane_states
                  (credential, environment, state, since, reason, next_probe_at)
                select 'apns', e, 'paused', now(), 'InvalidProviderToken', now() + interval '9 min'
                from unnest(array['production', 'sandbox']) e
                """)
            let reply = try await api.send("POST", "/v1/ops/providers/check", as: .operators)
            let lines = try #require(try reply.json["data"]?.array)
            #expect(
                lines.map { "\($0["provider"]?.text ?? "") \($0["environment"]?.text ?? "")" }
                    == ["fcm ", "apns production", "apns sandbox", "fcm "])
            #expect(
                lines.map { $0["result"]?.text } == ["faulty", "accepted", "refused", "accepted"])
            #expect(
                lines[2] == [
                    "provider": "apns", "environment": "sandbox", "result": "refused",
                    "status": 403, "reason": "InvalidProviderToken",
                    "advice": .text(ProviderAdvice.sentence(for: "InvalidProviderToken")),
                ])
            let graves = try await Graveyard(api)
            // Only the credential that was accepted is tried at once.
            #expect(
                try await graves.count(
                    """
                    select count(*) from sineta.lane_states
                    where next_probe_at <= now() and environment = 'production'
                    """) == 1)
            #expect(
                try await graves.count(
                    "select count(*) from sineta.lane_states where next_probe_at <= now()") == 1)
            let audit = try await api.send("GET", "/v1/ops/audit", as: .operators)
            let act = try #require(try audit.json["data"]?.array?.first)
            #expect(act["act"] == "provider.checked")
            #expect(act["after"]?["apns.sandbox"] == "InvalidProviderToken")
        }
        await pushes.stop()
    }

    @Test("a check that is repeated under its key is told again, and asks no provider")
    func repeated() async throws {
        try await SimulatedPushes.run { api, pushes in
            func check(_ key: String) async throws -> RawReply {
                try await api.send(
                    "POST", "/v1/ops/providers/check", as: .operators,
                    headers: ["Idempotency-Key: \(key)"])
            }
            let first = try await check("k1")
            #expect(first.status == 200)
            pushes.simulator.script.add(
                ScriptRule(environment: "sandbox", status: 403, reason: "InvalidProviderToken"))
            let second = try await check("k1")
            #expect(second.text == first.text)
            #expect(second.headers["idempotency-replayed"] == "true")
            #expect(try await check("k2").text != first.text)
            #expect(
                try await api.count(
                    "select count(*) from sineta.audit where act = 'provider.checked'") == 2)
        }
    }

    @Test("the list shows each credential without its key, and how its lanes stand")
    func list() async throws {
        let pushes = try SimulatedPushes()
        let apns = [APNsEnvironment.production, .sandbox].compactMap {
            pushes.providers.apns(.apns($0))
        }
        try await TestAPI.run(providers: PushProviders(apns: apns)) { api in
            let reply = try await api.send("GET", "/v1/ops/providers", as: .operators)
            let lines = try #require(try reply.json["data"]?.array)
            #expect(lines.map { $0["provider"]?.text } == ["apns", "apns", "fcm"])
            #expect(lines.map { $0["configured"]?.bool } == [true, true, false])
            #expect(lines.map { $0["state"]?.text } == ["open", "open", "open"])
            #expect(
                lines[0]["credentials"]?.text
                    == "APNs key SIMKEY0001 of team SIMTEAM001 for com.mobiari.merchant")
            #expect(lines[2]["environment"] == .null)
            #expect(!reply.text.contains("PRIVATE"))
        }
        await pushes.stop()
    }
}
