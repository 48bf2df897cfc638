import Cryptography
import JSON
import Values

/// What Google's token endpoint answers (RFC 6749 section 5.2); the texts were recorded.
struct TokenFault: Error, Equatable, Sendable {
    let error: String
    let description: String

    var body: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("error", error)
        writer.member("error_description", description)
        writer.endObject()
        return writer.bytes
    }
}

/// The rules of the token endpoint (RFC 7523), in Google's order: structure, signature, account,
/// times, scope, audience.
struct TokenEndpointRules: Sendable {
    /// What a good assertion asks for.
    enum Grant: Equatable {
        case accessToken
        /// Scopes that Google does not know give an `id_token` alone.
        case idTokenOnly
    }

    private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let scopes: Set<String> = [
        "https://www.googleapis.com/auth/firebase.messaging",
        "https://www.googleapis.com/auth/cloud-platform",
    ]
    /// Seconds by which clocks may differ.
    private static let skew: Int64 = 300

    let key: VerifyingKey
    let email: String

    init(_ credentials: SimulatorCredentials) {
        key = credentials.accountKey.verifyingKey
        email = credentials.accountEmail
    }

    func judge(_ body: [UInt8], at now: Timestamp) -> Result<Grant, TokenFault> {
        let form = FormFields(body)
        guard form["grant_type"] == Self.grantType else {
            let type = form["grant_type"] ?? ""
            return .failure(
                TokenFault(
                    error: "unsupported_grant_type", description: "Invalid grant_type: \(type)"))
        }
        guard let assertion = form["assertion"], let jwt = try? JWT.unverified(assertion) else {
            return .failure(TokenFault(error: "invalid_request", description: "Bad Request"))
        }
        guard (try? JWT.verify(assertion, with: .rs256(key))) != nil else {
            return .failure(invalidGrant("Invalid JWT Signature."))
        }
        guard jwt.claims["iss"]?.text == email else {
            return .failure(invalidGrant("Invalid grant: account not found"))
        }
        if let fault = times(jwt.claims, now) { return .failure(fault) }
        guard let scope = jwt.claims["scope"]?.text, !scope.isEmpty else {
            return .failure(
                TokenFault(
                    error: "invalid_scope",
                    description: "Invalid OAuth scope or ID token audience provided."))
        }
        guard jwt.claims["aud"]?.text == SimulatorCredentials.audience else {
            return .failure(invalidGrant("Invalid JWT: Failed audience check."))
        }
        let isKnown = scope.split(separator: " ").contains { Self.scopes.contains(String($0)) }
        return .success(isKnown ? .accessToken : .idTokenOnly)
    }

    private func times(_ claims: JSONObject, _ now: Timestamp) -> TokenFault? {
        guard let issued = seconds(claims["iat"]) else {
            return invalidGrant("Invalid JWT: iat is not set.")
        }
        guard let expires = seconds(claims["exp"]) else {
            return invalidGrant("Invalid JWT: exp is not set.")
        }
        let now = now.seconds
        let isShort = expires > issued && expires - issued <= 3600
        let isNow = issued <= now + Self.skew && expires >= now - Self.skew
        guard isShort, isNow else {
            return invalidGrant(
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
                    + "timeframe. Check your iat and exp values in the JWT claim.")
        }
        return nil
    }

    /// Digits in a text count too.
    private func seconds(_ value: JSONValue?) -> Int64? {
        value?.integer ?? value?.text.flatMap { Int64($0) }
    }

    private func invalidGrant(_ description: String) -> TokenFault {
        TokenFault(error: "invalid_grant", description: description)
    }
}
