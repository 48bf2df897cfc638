import Alerts
import HTTP2
import Runtime
import Testing
import Values
import WebClient

@testable import Push

@Suite("Sending to FCM")
struct FCMSenderTests {
    let clock = TestClock()
    let metrics = Metrics()
    let fetches = Lock(0)

    /// - Parameters:
    ///   - fault: what the token endpoint says from the start.
    ///   - delayed: until when a fetch takes, by its number.
    func sender(
        _ double: ProviderDouble, fault: FCMTokenFault? = nil,
        delayed: @escaping @Sendable (Int) -> Deadline? = { _ in nil }
    ) throws -> FCMSender {
        FCMSender(
            route: .fcm(), credentials: try FCMAccount.credentials(),
            endpoint: try double.endpoint(), settings: PushSettings(timeout: .seconds(20)),
            clock: clock.push, log: .silent, metrics: metrics
        ) { [fetches] _ in
            let number = fetches.withLock { count in
                count += 1
                return count
            }
            if let until = delayed(number) {
                try? await Task.sleep(
                    until: until.instant + .milliseconds(10), clock: .continuous)
            }
            if let fault { return .failure(fault) }
            return .success(
                FCMAccessToken(text: Secret("token-\(number)"), life: .seconds(3599)))
        }
    }

    func push() throws -> FCMPush {
        let id = try #require(PushID("0199a0c4-0000-7000-8000-000000000001"))
        let text = AlertText(title: "Olá", body: "Teste")
        let push = OutgoingPush.test(id: id, text: text, now: clock.now)
        return FCMPush(FCMPayload(push, token: "dev:1", now: clock.now))
    }

    static func accepted(_ asked: ProviderDouble.Asked) -> HTTP2Response {
        HTTP2Response(
            status: 200, body: Array(#"{"name":"projects/shop-1234/messages/1"}"#.utf8))
    }

    static let unauthenticated = HTTP2Response(
        status: 401, body: Array(#"{"error":{"code":401,"status":"UNAUTHENTICATED"}}"#.utf8))

    @Test("a push stands on the wire as FCM wants it")
    func wire() async throws {
        let double = try ProviderDouble { asked, _ in Self.accepted(asked) }
        let result = try await sender(double).send(try push())
        #expect(result.outcome == .accepted(messageID: "projects/shop-1234/messages/1"))
        let asked = try #require(double.asked.first)
        #expect(asked.path == "/v1/projects/shop-1234/messages:send")
        #expect(asked.headers.map(\.name) == ["authorization", "content-type"])
        #expect(asked.headers.map(\.value) == ["Bearer token-1", "application/json"])
        #expect(
            asked.body
                == #"{"message":{"token":"dev:1","notification":{"title":"Olá","body":"Teste"},"#
                + #""data":{"kind":"test"},"android":{"priority":"high","ttl":"3600s","#
                + #""notification":{"sound":"default"}}}}"#)
    }

    @Test("three hundred pushes at once take one token, and come back each with its index")
    func batch() async throws {
        let double = try ProviderDouble { asked, _ in Self.accepted(asked) }
        let ends = Signal<Int>()
        let sender = try sender(double)
        sender.send(Array(repeating: try push(), count: 300)) { index, _ in ends.send(index) }
        #expect(try await ends.wait(for: 300).sorted() == Array(0..<300))
        #expect(fetches.withLock { $0 } == 1)
        #expect(sender.inFlight == 0)
    }

    @Test("a 401 renews the token once for all, and each push is repeated once")
    func renewed() async throws {
        let double = try ProviderDouble { asked, _ in
            asked.bearer == "Bearer token-1" ? Self.unauthenticated : Self.accepted(asked)
        }
        let results = Signal<PushResult>()
        let sender = try sender(double)
        sender.send(Array(repeating: try push(), count: 100)) { results.send($1) }
        let ended = try await results.wait(for: 100)
        #expect(ended.allSatisfy { $0.status == 200 && $0.requests == 2 })
        #expect(fetches.withLock { $0 } == 2)
        #expect(double.asked.count == 200)
    }

    @Test("a push whose token comes too late is not sent; the next one finds the token")
    func lateToken() async throws {
        let double = try ProviderDouble { asked, _ in Self.accepted(asked) }
        let startBy = Deadline.after(.milliseconds(100))
        let sender = try sender(double, delayed: { _ in startBy })
        let late = try await sender.send(push(), startBy: startBy)
        #expect(!late.hasStarted && !late.mayHaveArrived)
        #expect(double.asked.isEmpty)
        let next = try await sender.send(push(), startBy: .after(.seconds(20)))
        #expect(next.hasStarted && next.status == 200)
        #expect(fetches.withLock { $0 } == 1)
    }

    @Test("nor is a repeat whose new token comes too late")
    func lateRepeat() async throws {
        let double = try ProviderDouble { asked, _ in
            asked.bearer == "Bearer token-1" ? Self.unauthenticated : Self.accepted(asked)
        }
        // Made now, it does not cost the time in which the push must start.
        _ = FCMAccount.key
        let startBy = Deadline.after(.seconds(5))
        let sender = try sender(double, delayed: { $0 == 2 ? startBy : nil })
        let late = try await sender.send(push(), startBy: startBy)
        #expect(!late.hasStarted && !late.mayHaveArrived)
        #expect(double.asked.map(\.bearer) == ["Bearer token-1"])
        #expect(try await sender.send(push()).status == 200)
        #expect(fetches.withLock { $0 } == 2)
    }

    @Test("a second 401 is a refusal of the credentials")
    func refusedTwice() async throws {
        let double = try ProviderDouble { _, _ in Self.unauthenticated }
        let result = try await sender(double).send(try push())
        #expect(result.requests == 2)
        #expect(
            result.outcome
                == .credentialsRefused(
                    ProviderWord(status: 401, reason: "UNAUTHENTICATED"), remedy: .newToken))
        #expect(double.asked.count == 2)
    }

    @Test("a refused token request refuses the push unsent; an absent answer lets it try again")
    func noToken() async throws {
        let double = try ProviderDouble { asked, _ in Self.accepted(asked) }
        let refused = FCMTokenFault.refused(status: 400, reason: "invalid_grant", detail: "")
        let first = try await sender(double, fault: refused).send(try push())
        #expect(
            first.outcome
                == .credentialsRefused(
                    ProviderWord(status: 400, reason: "token_invalid_grant"), remedy: nil))
        #expect(first.requests == 0 && !first.mayHaveArrived)
        let down = FCMTokenFault.unavailable(status: 503, reason: "http_503")
        let second = try await sender(double, fault: down).send(try push())
        #expect(
            second.outcome
                == .retry(ProviderWord(status: 503, reason: "token_http_503"), notBefore: nil))
        #expect(double.asked.isEmpty)
    }

    @Test("a probe validates only, to a topic, and names no device")
    func probe() async throws {
        let double = try ProviderDouble { asked, _ in Self.accepted(asked) }
        #expect(try await sender(double).probe() == .accepted)
        #expect(
            double.asked.map(\.body) == [
                #"{"validate_only":true,"message":{"topic":"sineta-doctor","data":{"kind":"test"}}}"#
            ])
        let denied = try ProviderDouble { _, _ in
            HTTP2Response(
                status: 403, body: Array(#"{"error":{"status":"PERMISSION_DENIED"}}"#.utf8))
        }
        #expect(
            try await sender(denied).probe()
                == .refused(ProviderWord(status: 403, reason: "PERMISSION_DENIED")))
        let refused = FCMTokenFault.refused(status: 400, reason: "invalid_grant", detail: "")
        #expect(
            try await sender(double, fault: refused).probe()
                == .refused(ProviderWord(status: 400, reason: "token_invalid_grant")))
    }

    @Test("the access token is fetched with the account's assertion, and refused tokens anew")
    func fetched() async throws {
        let double = try ProviderDouble { asked, before in
            guard asked.path == "/token" else {
                return asked.bearer == "Bearer first"
                    ? Self.unauthenticated : Self.accepted(asked)
            }
            let name = before == 0 ? "first" : "second"
            return HTTP2Response(
                status: 200, body: Array(#"{"access_token":"\#(name)","expires_in":3599}"#.utf8))
        }
        let account = try FCMCredentials(
            json: Secret(try FCMAccount.json()), variable: "X", project: nil,
            tokenURL: "https://127.0.0.1:\(double.port)/token")
        let sender = FCMSender(
            route: .fcm(), credentials: account, endpoint: try double.endpoint(),
            web: WebClient(caPath: double.caPath), clock: clock.push)
        let result = await sender.send(try push(), deadline: .after(.seconds(20)))
        #expect(result.status == 200 && result.requests == 2)
        #expect(
            double.asked.map(\.path) == [
                "/token", "/v1/projects/shop-1234/messages:send", "/token",
                "/v1/projects/shop-1234/messages:send",
            ])
        #expect(double.asked.first?.body.hasPrefix("grant_type=") == true)
    }

    @Test("no part of a sender prints a token or a key")
    func prints() async throws {
        let double = try ProviderDouble { asked, _ in Self.accepted(asked) }
        let sender = try sender(double)
        let result = await sender.send(try push())
        var text = "\(sender.credentials) \(result)"
        dump(sender, to: &text, maxDepth: 12)
        dump(sender.credentials, to: &text)
        #expect(!text.contains("token-1") && !text.contains("PRIVATE KEY"))
    }
}
