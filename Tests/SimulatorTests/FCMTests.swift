import HTTP2
import JSON
import Runtime
import Simulator
import Testing
import Values

@Suite("The double of FCM")
struct FCMTests {
    @Test("a good message is accepted under a name of the project")
    func accepted() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.fcm)
        let bearer = try await bench.accessToken(client)
        let body =
            #"{"message":{"token":"phone:1","notification":{"title":"a","body":"b"},"data":{"k":"v"},"#
            + #""android":{"priority":"HIGH","ttl":"3600s","collapse_key":"c","#
            + #""notification":{"tag":"c","channel_id":"orders","notification_count":2}}}}"#
        let response = try await client.ask(bench.message(body, bearer: bearer))
        #expect(response.status == 200)
        let name = try #require(response.json["name"]?.text)
        #expect(name.hasPrefix("projects/sineta-simulator/messages/0:1796000000"))
        let entry = try #require(bench.simulator.inbox.entries(token: "phone:1").first)
        #expect(entry.provider == .fcm)
        #expect(entry.body == Array(body.utf8))
        let trial = try await client.ask(
            bench.message(#"{"validate_only":true,"message":{"token":"t"}}"#, bearer: bearer))
        #expect(
            trial.text == #"{"name":"projects/sineta-simulator/messages/fake_message_id"}"#)
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        let body: String
        let answer: String
        var testDescription: String { body }
    }

    private static func badRequest(
        _ field: String, _ words: String, fcm: Bool = false
    ) -> String {
        let text = JSONValue.text(words).encoded
        let quoted = String(decoding: text, as: UTF8.self)
        let error =
            #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","#
            + #""errorCode":"INVALID_ARGUMENT"},"#
        return #"{"error":{"code":400,"message":\#(quoted),"status":"INVALID_ARGUMENT","details":["#
            + (fcm ? error : "")
            + #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"#
            + #""\#(field)","description":\#(quoted)}]}]}}"#
    }

    private static func fcmError(
        _ code: Int, _ status: String, _ message: String, _ word: String
    ) -> String {
        #"{"error":{"code":\#(code),"message":"\#(message)","status":"\#(status)","details":["#
            + #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(word)"}]}}"#
    }

    @Test(
        "what breaks a rule is answered as Google does",
        arguments: [
            Refusal(
                body: #"{"message":{"token":"t","data":{"a":12}}}"#,
                answer: badRequest(
                    "message.data[0].value",
                    "Invalid value at 'message.data[0].value' (TYPE_STRING), 12")),
            Refusal(
                body: #"{"message":{"token":"t","data":{"from":"x"}}}"#,
                answer: badRequest(
                    "message.data.from", "Invalid data payload key: from", fcm: true)),
            Refusal(
                body: #"{"message":{"token":"t","data":{"google.x":"x"}}}"#,
                answer: badRequest(
                    "message.data.google.x", "Invalid data payload key: google.x", fcm: true)),
            Refusal(
                body: #"{"message":{"data":{}}}"#,
                answer: badRequest("message", "Recipient of the message is not set.")),
            Refusal(
                body: #"{"message":{"token":"t","topic":"u"}}"#,
                answer: badRequest(
                    "message",
                    "Invalid value at 'message' (oneof), oneof field 'target' is already set. "
                        + "Cannot set 'topic'")),
            Refusal(
                body: #"{"message":{"token":"t","sound":"x"}}"#,
                answer: badRequest(
                    "message",
                    "Invalid JSON payload received. Unknown name \"sound\" at 'message': "
                        + "Cannot find field.")),
            Refusal(
                body: #"{"message":{"token":"t","android":{"ttl":3600}}}"#,
                answer: badRequest(
                    "message.android.ttl",
                    "Invalid value at 'message.android.ttl' "
                        + "(type.googleapis.com/google.protobuf.Duration), 3600")),
            Refusal(
                body: #"{"message":{"token":"t","data":{"a":""#
                    + String(repeating: "x", count: 4096) + #""}}}"#,
                answer: fcmError(
                    400, "INVALID_ARGUMENT",
                    "Message is too large. The maximum is 4K (4096 bytes).", "INVALID_ARGUMENT")),
            Refusal(
                body: #"{"message":{"token":"invalid-1"}}"#,
                answer: fcmError(
                    400, "INVALID_ARGUMENT",
                    "The registration token is not a valid FCM registration token",
                    "INVALID_ARGUMENT")),
            Refusal(
                body: #"{"message":{"token":"unregistered-1"}}"#,
                answer: fcmError(
                    404, "NOT_FOUND", "Requested entity was not found.", "UNREGISTERED")),
            Refusal(
                body: #"{"message":{"token":"mismatch-1"}}"#,
                answer: fcmError(
                    403, "PERMISSION_DENIED", "SenderId mismatch", "SENDER_ID_MISMATCH")),
        ])
    func refused(refusal: Refusal) async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.fcm)
        let bearer = try await bench.accessToken(client)
        let response = try await client.ask(bench.message(refusal.body, bearer: bearer))
        #expect(response.text == refusal.answer)
    }

    @Test("only a bearer that the token endpoint gave out, and that has not ended, is taken")
    func bearers() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.fcm)
        let body = #"{"message":{"token":"t"}}"#
        let stranger = try await client.ask(bench.message(body, bearer: "made-up"))
        #expect(stranger.status == 401)
        #expect(stranger.json["error"]?["status"]?.text == "UNAUTHENTICATED")
        #expect(stranger.json["error"]?["details"] == nil)
        let bearer = try await bench.accessToken(client)
        bench.clock.advance(.seconds(3598))
        #expect(try await client.ask(bench.message(body, bearer: bearer)).status == 200)
        bench.clock.advance(.seconds(1))
        #expect(try await client.ask(bench.message(body, bearer: bearer)).status == 401)
        let next = try await bench.accessToken(client)
        bench.simulator.revokeAccessTokens()
        #expect(try await client.ask(bench.message(body, bearer: next)).status == 401)
    }

    @Test("another project is not found")
    func otherProject() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.fcm)
        let bearer = try await bench.accessToken(client)
        let response = try await client.ask(
            bench.message(
                #"{"message":{"token":"t"}}"#, bearer: bearer,
                path: "/v1/projects/other/messages:send"))
        #expect(response.status == 404)
        #expect(response.json["error"]?["details"] == nil)
    }
}
