import Alerts
import Cryptography
import HTTP2
import Runtime
import TestKit
import Testing
import Values

@testable import Push

@Suite("Sending to APNs")
struct APNsSenderTests {
    static let device = String(repeating: "AB", count: 32)
    let clock = TestClock()
    let metrics = Metrics()
    let credentials: APNsCredentials

    init() throws {
        credentials = APNsCredentials(
            key: try .generateP256(), keyID: "KEY1234567", teamID: "TEAM123456",
            bundleID: "com.example")
    }

    func sender(
        _ double: ProviderDouble, timeout: Duration = .seconds(20)
    ) throws -> APNsSender {
        APNsSender(
            route: .apns(.production), credentials: credentials, endpoint: try double.endpoint(),
            settings: PushSettings(timeout: timeout), clock: clock.push, metrics: metrics)
    }

    func push() throws -> APNsPush {
        let id = try #require(PushID("0199a0c4-0000-7000-8000-000000000001"))
        let text = AlertText(title: "Olá", body: "Teste")
        let payload = APNsPayload(
            .test(id: id, text: text, now: clock.now), bundleID: credentials.bundleID)
        return APNsPush(
            token: Secret(Self.device), payload: payload, registeredAt: clock.now)
    }

    @Test("a push stands on the wire as APNs wants it")
    func wire() async throws {
        let double = try ProviderDouble { asked, _ in
            HTTP2Response(
                status: 200, headers: [HTTP2Header("apns-id", asked.headers["apns-id"] ?? "")])
        }
        let result = try await sender(double).send(try push())
        #expect(result.outcome == .accepted(messageID: "0199a0c4-0000-7000-8000-000000000001"))
        #expect(result.messageID == "0199a0c4-0000-7000-8000-000000000001")
        #expect(result.status == 200 && result.reason == nil && result.requests == 1)
        let asked = try #require(double.asked.first)
        #expect(asked.path == "/3/device/\(Self.device.lowercased())")
        #expect(
            asked.headers.map(\.name) == [
                "authorization", "apns-topic", "apns-push-type", "apns-priority",
                "apns-expiration", "apns-id",
            ])
        #expect(
            asked.headers.dropFirst().map(\.value) == [
                "com.example", "alert", "10", "1793003600",
                "0199a0c4-0000-7000-8000-000000000001",
            ])
        #expect(
            asked.body
                == #"{"aps":{"alert":{"title":"Olá","body":"Teste"},"sound":"default"},"kind":"test"}"#
        )
        let jwt = String(asked.bearer.dropFirst("bearer ".count))
        #expect(throws: Never.self) {
            try JWT.verify(jwt, with: .es256(credentials.key.verifyingKey))
        }
    }

    @Test("a batch comes back whole, each push with its index, under one token")
    func batch() async throws {
        let double = try ProviderDouble { _, before in
            before % 2 == 1
                ? ProviderDouble.reason(400, "BadDeviceToken") : HTTP2Response(status: 200)
        }
        let sender = try sender(double)
        let ends = Signal<Int>()
        sender.send(Array(repeating: try push(), count: 300)) { index, _ in ends.send(index) }
        #expect(try await ends.wait(for: 300).sorted() == Array(0..<300))
        #expect(Set(double.asked.map(\.bearer)).count == 1)
        #expect(sender.inFlight == 0)
    }

    @Test("the token changes at 40 minutes, and not before")
    func renewal() async throws {
        let double = try ProviderDouble { _, _ in HTTP2Response(status: 200) }
        let sender = try sender(double)
        for minutes in [0, 25, 25, 15] {
            clock.advance(minutes: minutes)
            _ = await sender.send(try push())
        }
        let bearers = double.asked.map(\.bearer)
        #expect(bearers[0] == bearers[1])
        #expect(bearers[1] != bearers[2])
        #expect(bearers[2] == bearers[3])
    }

    @Test("a token called expired is renewed once, and each push repeated once on a new connection")
    func expired() async throws {
        let double = try ProviderDouble { asked, _ in
            asked.connection == 1
                ? ProviderDouble.reason(403, "ExpiredProviderToken") : HTTP2Response(status: 200)
        }
        let sender = try sender(double)
        let results = Signal<PushResult>()
        sender.send(Array(repeating: try push(), count: 50)) { results.send($1) }
        let ended = try await results.wait(for: 50)
        #expect(ended.allSatisfy { $0.messageID == nil && $0.status == 200 })
        #expect(ended.contains { $0.requests == 2 })
        #expect(Set(double.asked.map(\.bearer)).count == 2)
        let old = try #require(double.asked.first?.bearer)
        #expect(double.asked.filter { $0.connection > 1 }.allSatisfy { $0.bearer != old })
    }

    @Test("a repeat that gets no new connection in time is none; the next push goes over it")
    func lateRepeat() async throws {
        let second = Signal<HTTP2ServerConnection>()
        let double = try ProviderDouble(onConnection: {
            guard $0.number == 2 else { return }
            $0.freeze()
            second.send($0)
        }) { asked, _ in
            asked.connection == 1
                ? ProviderDouble.reason(403, "ExpiredProviderToken") : HTTP2Response(status: 200)
        }
        let sender = try sender(double)
        let late = try await sender.send(push(), startBy: .after(.seconds(5)))
        #expect(!late.hasStarted && !late.mayHaveArrived)
        #expect(double.asked.map(\.connection) == [1])
        try await second.wait(for: 1)[0].thaw()
        let next = try await sender.send(push())
        #expect(next.hasStarted && next.status == 200)
        #expect(double.asked.map(\.connection) == [1, 2])
        #expect(Set(double.asked.map(\.bearer)).count == 2)
    }

    @Test("a token called expired twice is a refusal of the credentials, after two requests")
    func expiredTwice() async throws {
        let double = try ProviderDouble { _, _ in
            ProviderDouble.reason(403, "ExpiredProviderToken")
        }
        let sender = try sender(double)
        let result = await sender.send(try push())
        #expect(result.requests == 2)
        #expect(
            result.outcome
                == .credentialsRefused(
                    ProviderWord(status: 403, reason: "ExpiredProviderToken"),
                    remedy: .newTokenAndConnection))
        #expect(Set(double.asked.map(\.connection)).count == 2)
        // The next push finds the token replaced a moment ago: no third one.
        #expect(await sender.send(try push()).requests == 1)
        #expect(Set(double.asked.map(\.bearer)).count == 2)
    }

    @Test("a connection bound to another key is left, with the token that is good")
    func unrelatedKey() async throws {
        let double = try ProviderDouble { asked, _ in
            asked.connection == 1
                ? ProviderDouble.reason(403, "UnrelatedKeyIdInToken") : HTTP2Response(status: 200)
        }
        let result = try await sender(double).send(try push())
        #expect(result.status == 200 && result.requests == 2)
        #expect(Set(double.asked.map(\.bearer)).count == 1)
        #expect(double.asked.map(\.connection) == [1, 2])
    }

    @Test(
        "every other refusal of credentials is told at once",
        arguments: [
            (403, "InvalidProviderToken"), (403, "MissingProviderToken"), (403, "Forbidden"),
            (403, "BadEnvironmentKeyInToken"), (429, "TooManyProviderTokenUpdates"),
            (400, "TopicDisallowed"),
        ])
    func refused(status: Int, reason: String) async throws {
        let double = try ProviderDouble { _, _ in ProviderDouble.reason(status, reason) }
        let result = try await sender(double).send(try push())
        #expect(
            result.outcome
                == .credentialsRefused(ProviderWord(status: status, reason: reason), remedy: nil))
        #expect(double.asked.count == 1)
    }

    @Test("no answer within the deadline is a failure that may have arrived")
    func timeout() async throws {
        let double = try ProviderDouble { _, _ in nil }
        let sender = try sender(double)
        var result = await sender.send(try push(), deadline: .after(.milliseconds(300)))
        // On a busy machine the time may pass before the push has left.
        for _ in 0..<60 where double.asked.isEmpty {
            result = await sender.send(try push(), deadline: .after(.milliseconds(300)))
        }
        #expect(result.outcome == .noAnswer("timeout"))
        #expect(result.status == 0 && result.mayHaveArrived)
    }

    @Test("nobody listening is a failure that has certainly not arrived")
    func nobody() async throws {
        let port = try RefusingPort()
        let endpoint = try PushEndpoint(
            url: "https://127.0.0.1:\(port.number)", variable: "X", caPath: nil)
        let sender = APNsSender(
            route: .apns(.sandbox), credentials: credentials, endpoint: endpoint,
            clock: clock.push)
        var result = await sender.send(try push(), deadline: .after(.milliseconds(300)))
        // On a busy machine the time may pass before the first try was refused.
        for _ in 0..<60 where result.outcome == .noAnswer("timeout") {
            result = await sender.send(try push(), deadline: .after(.milliseconds(300)))
        }
        #expect(result.outcome == .noAnswer("cannot_connect"))
        #expect(!result.mayHaveArrived)
    }

    @Test(
        "a probe tells good credentials from refused ones and from a provider that is down",
        arguments: [
            (400, "BadDeviceToken", ProbeResult.accepted),
            (410, "Unregistered", .accepted),
            (
                403, "InvalidProviderToken",
                .refused(ProviderWord(status: 403, reason: "InvalidProviderToken"))
            ),
            (
                400, "TopicDisallowed",
                .refused(ProviderWord(status: 400, reason: "TopicDisallowed"))
            ),
            (400, "BadTopic", .refused(ProviderWord(status: 400, reason: "BadTopic"))),
            (
                503, "ServiceUnavailable",
                .unknown(ProviderWord(status: 503, reason: "ServiceUnavailable"))
            ),
            (404, "BadPath", .unknown(ProviderWord(status: 404, reason: "BadPath"))),
        ])
    func probe(status: Int, reason: String, expected: ProbeResult) async throws {
        let double = try ProviderDouble { _, _ in ProviderDouble.reason(status, reason) }
        let sender = try sender(double)
        #expect(await sender.probe() == expected)
        #expect(await sender.probe() == expected)
        #expect(Set(double.asked.map(\.path)).count == 2)
        #expect(double.asked.map(\.connection) == [1, 2])
    }

    @Test("requests, outcomes and their time are counted")
    func counted() async throws {
        let double = try ProviderDouble { _, _ in ProviderDouble.reason(410, "Unregistered") }
        _ = try await sender(double).send(try push())
        let text = metrics.render()
        let labels = #"provider="apns",environment="production""#
        #expect(text.contains("sineta_push_requests_total{\(labels)} 1"))
        #expect(
            text.contains(
                #"sineta_push_outcomes_total{\#(labels),outcome="unregistered",reason="Unregistered"} 1"#
            ))
        #expect(text.contains("sineta_push_request_seconds_count{\(labels)} 1"))
        #expect(!text.contains(Self.device.lowercased()))
    }
}
