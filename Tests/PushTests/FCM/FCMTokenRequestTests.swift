import Cryptography
import JSON
import Testing
import Values
import WebClient

@testable import Push

@Suite("Asking for an access token")
struct FCMTokenRequestTests {
    @Test("the assertion goes as a form, signed by RS256, good for an hour")
    func request() throws {
        let credentials = try FCMAccount.credentials()
        let now = Timestamp(seconds: 1_793_000_000)
        let request = try FCMTokenRequest.make(credentials, now: now)
        #expect(request.method == "POST")
        #expect("\(request.url)" == "https://oauth2.googleapis.com:443/token")
        #expect(request.headers.map(\.name) == ["content-type"])
        #expect(request.headers.map(\.value) == ["application/x-www-form-urlencoded"])
        let body = String(decoding: request.body ?? [], as: UTF8.self)
        let head = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
        #expect(body.hasPrefix(head))
        let jwt = try JWT.verify(
            String(body.dropFirst(head.count)), with: .rs256(credentials.key.verifyingKey))
        #expect(
            jwt.header.map { "\($0.key)=\($0.value.text ?? "")" } == [
                "alg=RS256", "typ=JWT", "kid=abcdef",
            ])
        #expect(jwt.claims["iss"]?.text == credentials.email)
        #expect(jwt.claims["scope"]?.text == "https://www.googleapis.com/auth/firebase.messaging")
        #expect(jwt.claims["aud"]?.text == "https://oauth2.googleapis.com/token")
        #expect(jwt.claims["iat"]?.integer == 1_793_000_000)
        #expect(jwt.claims["exp"]?.integer == 1_793_003_600)
    }

    static func refused(_ status: Int, _ reason: String, _ detail: String = "") -> FCMTokenFault {
        .refused(status: status, reason: reason, detail: detail)
    }

    @Test(
        "an answer without a token is a refusal, or a fault that passes",
        arguments: [
            (
                200, #"{"id_token":"x"}"#,
                refused(200, "no_access_token", "the answer has no access token")
            ),
            (
                200, #"{"access_token":""}"#,
                refused(200, "no_access_token", "the answer has no access token")
            ),
            (
                200, #"{"access_token":"a\nb"}"#,
                refused(200, "no_access_token", "the answer has no access token")
            ),
            (200, "<html>", .unavailable(status: 200, reason: "answer_not_json")),
            (
                400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#,
                refused(400, "invalid_grant", "Invalid JWT Signature.")
            ),
            // Not an error of Google's: a page of something between, or nothing.
            (401, "", .unavailable(status: 401, reason: "http_401")),
            (403, "<html>", .unavailable(status: 403, reason: "http_403")),
            (404, "[]", .unavailable(status: 404, reason: "http_404")),
            (403, #"{"error":{"code":403}}"#, refused(403, "http_403")),
            (400, #"{"error":"Big Bad"}"#, refused(400, "http_400")),
            (302, "", .unavailable(status: 302, reason: "http_302")),
            (429, #"{"error":"quota"}"#, .unavailable(status: 429, reason: "quota")),
            (500, "<html>", .unavailable(status: 500, reason: "http_500")),
            (503, "", .unavailable(status: 503, reason: "http_503")),
        ] as [(Int, String, FCMTokenFault)])
    func faults(status: Int, body: String, fault: FCMTokenFault) {
        let response = WebResponse(status: status, headers: [], body: Array(body.utf8))
        #expect(throws: fault) { try FCMTokenRequest.read(response) }
    }

    @Test(
        "a token is good for what it says, or for what Google says everywhere",
        arguments: [
            (#"{"access_token":"a","expires_in":3599,"token_type":"Bearer"}"#, 3599),
            (#"{"access_token":"a"}"#, 3599), (#"{"access_token":"a","expires_in":-5}"#, 1),
            (#"{"access_token":"a","expires_in":9223372036854775807}"#, 86_400),
        ])
    func reads(body: String, seconds: Int) throws {
        let token = try FCMTokenRequest.read(
            WebResponse(status: 200, headers: [], body: Array(body.utf8)))
        #expect(token == FCMAccessToken(text: Secret("a"), life: .seconds(seconds)))
    }
}
