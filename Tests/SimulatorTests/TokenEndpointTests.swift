import Cryptography
import HTTP2
import JSON
import Simulator
import Testing
import Values

@Suite("The double of Google's token endpoint")
struct TokenEndpointTests {
    @Test("a good assertion gets a bearer for an hour less a second")
    func issued() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.fcm)
        let response = try await client.ask(bench.tokenRequest(bench.assertion()))
        #expect(response.status == 200)
        #expect(response.json.object?.keys == ["access_token", "expires_in", "token_type"])
        #expect(response.json["expires_in"]?.integer == 3599)
        #expect(response.json["token_type"]?.text == "Bearer")
        #expect(bench.simulator.inbox.counts.tokenRequests == 1)
        #expect(bench.simulator.inbox.entries().isEmpty)
    }

    @Test(
        "a bad claim is answered with the recorded words",
        arguments: [
            (["iss": "x"], "invalid_grant", "Invalid grant: account not found"),
            (["iat": nil], "invalid_grant", "Invalid JWT: iat is not set."),
            (["exp": nil], "invalid_grant", "Invalid JWT: exp is not set."),
            (["aud": "https://x"], "invalid_grant", "Invalid JWT: Failed audience check."),
            (
                ["scope": ""], "invalid_scope",
                "Invalid OAuth scope or ID token audience provided."
            ),
        ] as [([String: JSONValue?], String, String)])
    func claims(changes: [String: JSONValue?], error: String, words: String) async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.fcm)
        let response = try await client.ask(bench.tokenRequest(bench.assertion(changes)))
        #expect(response.status == 400)
        #expect(response.text == #"{"error":"\#(error)","error_description":"\#(words)"}"#)
    }

    @Test(
        "times may be off as far as was seen",
        arguments: [
            (300, 3600, true), (301, 3600, false), (-3600, 3600, true), (-7200, 3600, false),
            (0, 3601, false),
        ])
    func times(offset: Int64, length: Int64, isGood: Bool) async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.fcm)
        let issued = bench.clock.now.seconds + offset
        let response = try await client.ask(
            bench.tokenRequest(
                bench.assertion([
                    "iat": .integer(issued), "exp": .text(String(issued + length)),
                ])))
        #expect(response.status == (isGood ? 200 : 400))
        if !isGood {
            #expect(response.text.contains("Token must be a short-lived token (60 minutes)"))
        }
    }

    @Test("another key, an unreadable assertion, an unknown scope")
    func others() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.fcm)
        let stranger = try await client.ask(
            bench.tokenRequest(bench.assertion(key: .generateRSA())))
        #expect(
            stranger.text
                == #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#)
        let garbage = try await client.ask(bench.tokenRequest("a.b"))
        #expect(
            garbage.text == #"{"error":"invalid_request","error_description":"Bad Request"}"#)
        let scope = try await client.ask(bench.tokenRequest(bench.assertion(["scope": "x"])))
        #expect(scope.status == 200)
        #expect(scope.json.object?.keys == ["id_token"])
    }
}
