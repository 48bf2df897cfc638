import Cryptography
import HTTP2
import JSON
import Runtime
import Simulator
import Testing
import Values

@Suite("The double of APNs")
struct APNsTests {
    @Test("a good push is accepted with an empty body and its own apns-id")
    func accepted() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        let response = try await client.ask(bench.push(authorization: bench.jwt()))
        #expect(response.status == 200)
        #expect(response.body == [])
        #expect(
            response.headers == [
                HTTP2Header("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b")
            ])
    }

    @Test("the sandbox adds apns-unique-id, and an absent apns-id is made")
    func sandbox() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsSandbox)
        let response = try await client.ask(
            bench.push(authorization: bench.jwt(), headers: ["apns-id": nil]))
        #expect(response.status == 200)
        #expect(response.headers["apns-id"].flatMap { UUID($0) } != nil)
        #expect(response.headers["apns-unique-id"].flatMap { UUID($0) } != nil)
        let entry = try #require(bench.simulator.inbox.entries().first)
        #expect(entry.environment == "sandbox")
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        let status: Int
        let reason: String
        var headers: [String: String?] = [:]
        var token = "00fc13ad"
        var body = #"{"aps":{}}"#
        var testDescription: String { "\(reason) \(headers) \(token) \(body.prefix(20))" }
    }

    private static let topic = "com.mobiari.merchant"

    @Test(
        "what breaks a rule is refused with the reason for it",
        arguments: [
            Refusal(status: 400, reason: "BadMessageId", headers: ["apns-id": "x"]),
            Refusal(
                status: 400, reason: "BadMessageId",
                headers: ["apns-id": "EABEAE54-14A8-11E5-B60B-1697F925EC7B"]),
            Refusal(status: 400, reason: "BadExpirationDate", headers: ["apns-expiration": "-1"]),
            Refusal(status: 400, reason: "BadExpirationDate", headers: ["apns-expiration": "1h"]),
            Refusal(status: 400, reason: "BadPriority", headers: ["apns-priority": "7"]),
            Refusal(
                status: 400, reason: "BadCollapseId",
                headers: ["apns-collapse-id": String(repeating: "x", count: 65)]),
            Refusal(status: 400, reason: "InvalidPushType", headers: ["apns-push-type": "ring"]),
            Refusal(status: 400, reason: "MissingTopic", headers: ["apns-topic": nil]),
            Refusal(status: 400, reason: "TopicDisallowed", headers: ["apns-topic": "com.other"]),
            Refusal(status: 400, reason: "BadTopic", headers: ["apns-topic": topic + ".voip"]),
            Refusal(status: 400, reason: "BadTopic", headers: ["apns-push-type": "voip"]),
            Refusal(status: 400, reason: "BadTopic", headers: ["apns-push-type": "mdm"]),
            Refusal(
                status: 400, reason: "TopicDisallowed",
                headers: ["apns-push-type": "mdm", "apns-topic": "com.other"]),
            Refusal(
                status: 400, reason: "TopicDisallowed",
                headers: ["apns-topic": "com.apple.mgmt.External.0"]),
            Refusal(
                status: 400, reason: "BadPriority", headers: ["apns-push-type": "background"]),
            Refusal(status: 400, reason: "BadDeviceToken", token: "xyz"),
            Refusal(status: 400, reason: "BadDeviceToken", token: "abc"),
            Refusal(status: 400, reason: "BadDeviceToken", token: "0000bad0ff"),
            Refusal(status: 400, reason: "PayloadEmpty", body: ""),
            Refusal(status: 400, reason: "BadRequestPayload", body: "[]"),
            Refusal(
                status: 413, reason: "PayloadTooLarge",
                body: #"{"x":""# + String(repeating: "x", count: 4089) + #""}"#),
            Refusal(status: 429, reason: "TooManyRequests", token: "0000042900"),
            Refusal(status: 500, reason: "InternalServerError", token: "0000050000"),
            Refusal(status: 503, reason: "ServiceUnavailable", token: "0000050300"),
        ])
    func refused(refusal: Refusal) async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        let response = try await client.ask(
            bench.push(
                token: refusal.token, authorization: bench.jwt(), headers: refusal.headers,
                body: refusal.body))
        #expect(response.status == refusal.status)
        #expect(response.text == #"{"reason":"\#(refusal.reason)"}"#)
        let entry = try #require(bench.simulator.inbox.entries().first)
        #expect(entry.answered?.reason == refusal.reason)
        #expect(bench.simulator.inbox.counts.apnsProduction.refused == [refusal.reason: 1])
    }

    @Test(
        "the kinds of push, all eleven, have their own topics, priorities and sizes",
        arguments: [
            ("alert", topic, "1", 4096), ("background", topic, "5", 4096),
            ("voip", topic + ".voip", "10", 5120),
            ("complication", topic + ".complication", "10", 4096),
            ("controls", topic + ".push-type.controls", "10", 4096),
            ("fileprovider", topic + ".pushkit.fileprovider", "10", 4096),
            ("liveactivity", topic + ".push-type.liveactivity", "10", 4096),
            ("location", topic + ".location-query", "5", 4096),
            ("mdm", "com.apple.mgmt.External.2c1c9b0e", "10", 4096),
            ("pushtotalk", topic + ".voip-ptt", "10", 4096),
            ("widgets", topic + ".push-type.widgets", "5", 4096),
        ])
    func kinds(type: String, topic: String, priority: String, size: Int) async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        let authorization = try bench.jwt()
        for (bytes, status) in [(size, 200), (size + 1, 413)] {
            let filler = String(repeating: "x", count: bytes - 8)
            let response = try await client.ask(
                bench.push(
                    authorization: authorization,
                    headers: [
                        "apns-push-type": type, "apns-topic": topic, "apns-priority": priority,
                    ], body: #"{"x":"\#(filler)"}"#))
            #expect(response.status == status)
        }
    }

    @Test("method, path and repeated headers are judged before the token")
    func shape() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        var push = bench.push(authorization: "bearer none")
        push.method = "GET"
        #expect(try await client.ask(push).text == #"{"reason":"MethodNotAllowed"}"#)
        push.method = "POST"
        push.path = "/3/device/"
        #expect(try await client.ask(push).text == #"{"reason":"MissingDeviceToken"}"#)
        push.path = "/4/device/ab"
        let badPath = try await client.ask(push)
        #expect(badPath.status == 404)
        #expect(badPath.text == #"{"reason":"BadPath"}"#)
        push.path = "/3/device/ab"
        push.headers.append(HTTP2Header("apns-topic", "again"))
        #expect(try await client.ask(push).text == #"{"reason":"DuplicateHeaders"}"#)
    }

    @Test("a gone token is answered 410 with the time in milliseconds")
    func gone() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        let response = try await client.ask(
            bench.push(token: "0000dead01", authorization: bench.jwt()))
        #expect(response.status == 410)
        #expect(response.text == #"{"reason":"Unregistered","timestamp":1796000000000}"#)
    }
}
