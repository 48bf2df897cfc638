import Cryptography
import JSON
import Runtime
import Values
import WebClient

/// An access token as Google gave it.
struct FCMAccessToken: Sendable, Equatable {
    let text: Secret<String>
    let life: Duration
}

/// One exchange of an assertion for an access token
/// (https://developers.google.com/identity/protocols/oauth2/service-account#httprest).
enum FCMTokenRequest {
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"

    static func make(
        _ credentials: FCMCredentials, now: Timestamp
    ) throws(CryptographyFault) -> WebRequest {
        var header = JSONObject([("typ", "JWT")])
        if let id = credentials.keyID { header["kid"] = .text(id) }
        let claims = JSONObject([
            ("iss", .text(credentials.email)), ("scope", .text(scope)),
            ("aud", .text(credentials.audience)), ("iat", .integer(now.seconds)),
            ("exp", .integer(now.seconds + 3600)),
        ])
        let assertion = try JWT.sign(header: header, claims: claims, key: .rs256(credentials.key))
        // Nothing in the grant's name or in base64url needs an escape but the colons.
        let grant = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        return WebRequest(
            method: "POST", url: credentials.tokenURL,
            headers: [("content-type", "application/x-www-form-urlencoded")],
            body: Array("grant_type=\(grant)&assertion=\(assertion.reveal())".utf8))
    }

    /// Reads the answer. A scope that Google does not know gives 200 with an `id_token` alone.
    static func read(_ response: WebResponse) throws(FCMTokenFault) -> FCMAccessToken {
        let value = try? JSONValue.parse(response.body)
        guard response.status == 200 else { throw fault(response.status, value) }
        guard let value else {
            throw .unavailable(status: 200, reason: "answer_not_json")
        }
        guard let text = value["access_token"]?.text, isToken(text) else {
            throw .refused(
                status: 200, reason: "no_access_token", detail: "the answer has no access token")
        }
        let seconds = value["expires_in"]?.integer ?? 3599
        return FCMAccessToken(
            text: Secret(text), life: .seconds(min(max(seconds, 1), 86_400)))
    }

    private static func fault(_ status: Int, _ value: JSONValue?) -> FCMTokenFault {
        let error = value?["error"]
        let reason = error?.text.flatMap { word($0) } ?? "http_\(status)"
        // Without an error of Google's it is a page of something between: it says nothing of the
        // account.
        guard error?.text != nil || error?.object != nil, status != 408, status != 429, status < 500
        else {
            return .unavailable(status: status, reason: reason)
        }
        let detail = value?["error_description"]?.text.map { printable($0) } ?? ""
        return .refused(status: status, reason: reason, detail: detail)
    }

    /// What may stand in a header.
    private static func isToken(_ text: String) -> Bool {
        (1...8192).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    }

    /// An error code of OAuth, fit for metrics and rows.
    private static func word(_ text: String) -> String? {
        let isWord = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
        }
        return isWord && (1...64).contains(text.utf8.count) ? text : nil
    }

    private static func printable(_ text: String) -> String {
        String(
            text.unicodeScalars.lazy.filter { $0.value >= 32 && $0.value < 127 }.prefix(200).map(
                Character.init))
    }
}
