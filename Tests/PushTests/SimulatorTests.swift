import Alerts
import Cryptography
import HTTP2
import Push
import Runtime
import Simulator
import Testing
import Values

@Suite("Against the simulator")
struct SimulatorTests {
    /// Case G12.
    @Test("both hosts see one bearer per environment, however often they are sent to")
    func oneProviderToken() async throws {
        let house = try SimulatedProviders()
        let senders = [try house.apns(.production), try house.apns(.sandbox)]
        // 25 minutes: as before. 50: renewed. 65, and 15 after the renewal: as before.
        for (step, bearers) in [(0, 1), (25, 1), (25, 2), (15, 2)] {
            house.clock.advance(minutes: step)
            for sender in senders { try await send(75, from: sender, house) }
            #expect(house.bearers("production").count == bearers)
            #expect(house.bearers("sandbox").count == bearers)
        }
        #expect(house.bearers("production").isDisjoint(with: house.bearers("sandbox")))
        await house.stop()
    }

    private func send(_ count: Int, from sender: APNsSender, _ house: SimulatedProviders)
        async throws
    {
        let results = Signal<PushResult>()
        for start in stride(from: 0, to: count, by: 10) {
            let end = min(start + 10, count)
            let pushes = (start..<end).map { _ in house.apnsPush() }
            sender.send(pushes) { results.send($1) }
            _ = try await results.wait(for: end)
        }
        #expect(results.values.allSatisfy { $0.status == 200 })
    }

    /// Case G12, its second half.
    @Test("after one ExpiredProviderToken there is exactly one new bearer, and no push is lost")
    func expired() async throws {
        let house = try SimulatedProviders()
        let sender = try house.apns(.production)
        try await send(20, from: sender, house)
        var rule = ScriptRule()
        rule.provider = .apns
        rule.next = 1
        rule.status = 403
        rule.reason = "ExpiredProviderToken"
        house.simulator.script.add(rule)
        let result = await sender.send(house.apnsPush())
        #expect(result.status == 200 && result.requests == 2)
        try await send(20, from: sender, house)
        #expect(house.bearers("production").count == 2)
        #expect(house.simulator.inbox.counts.apnsProduction.accepted == 41)
        await house.stop()
    }

    @Test("an access token that Google has revoked is renewed, and the push goes out")
    func revoked() async throws {
        let house = try SimulatedProviders()
        let sender = try house.fcm()
        #expect(await sender.send(house.fcmPush()).status == 200)
        house.simulator.revokeAccessTokens()
        let result = await sender.send(house.fcmPush())
        #expect(result.status == 200 && result.requests == 2)
        #expect(result.messageID?.hasPrefix("projects/sineta-simulator/messages/") == true)
        #expect(house.simulator.inbox.counts.tokenRequests == 2)
        await house.stop()
    }

    @Test("an access token of an hour serves the hour but its last five minutes")
    func accessToken() async throws {
        let house = try SimulatedProviders()
        let sender = try house.fcm()
        for (minutes, requests) in [(0, 1), (50, 1), (6, 2), (50, 2)] {
            house.clock.advance(minutes: minutes)
            #expect(await sender.send(house.fcmPush()).status == 200)
            #expect(house.simulator.inbox.counts.tokenRequests == requests)
        }
        await house.stop()
    }

    @Test("a probe touches no device, and tells good credentials from bad ones")
    func probes() async throws {
        let house = try SimulatedProviders()
        #expect(try await house.fcm().probe() == .accepted)
        let foreign = try SigningKey.generateP256()
        let refused = ProviderWord(status: 403, reason: "InvalidProviderToken")
        #expect(
            try await house.apns(.production, key: foreign).probe() == .refused(refused))
        let stranger = try FCMAccount.json()
        guard case .refused(let word) = try await house.fcm(account: stranger).probe() else {
            Issue.record("a foreign account was let pass")
            return
        }
        #expect(word.reason == "token_invalid_grant")
        #expect(house.simulator.inbox.counts.accepted <= 1)
        await house.stop()
    }

    @Test("a made-up device tells APNs' doctor that the credentials are good")
    func apnsProbe() async throws {
        let house = try SimulatedProviders()
        var rule = ScriptRule()
        rule.provider = .apns
        rule.status = 400
        rule.reason = "BadDeviceToken"
        house.simulator.script.add(rule)
        #expect(try await house.apns(.sandbox).probe() == .accepted)
        #expect(house.simulator.inbox.counts.apnsSandbox.requests == 1)
        await house.stop()
    }
}
