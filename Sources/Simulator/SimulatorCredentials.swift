public import Cryptography
import JSON
import Runtime
public import Values

/// What the doubles believe, and what a sender needs to be believed: made on the spot, of no worth
/// anywhere else.
public struct SimulatorCredentials: Sendable {
    /// P-256, whose JWTs APNs' double takes.
    public var apnsKey: SigningKey
    public var apnsKeyID = "SIMKEY0001"
    public var apnsTeamID = "SIMTEAM001"
    /// The bundle id that the key may send to.
    public var apnsTopic = "com.mobiari.merchant"
    /// RSA, whose assertions the token endpoint takes.
    public var accountKey: SigningKey
    public var accountKeyID = "simulator-account-key"
    public var accountEmail = "push@sineta-simulator.iam.gserviceaccount.com"
    public var projectID = "sineta-simulator"
    /// The PEM of the authority that clients must trust.
    public var authorityPEM: String
    /// Of the three provider ports, signed by that authority.
    public var serverCertificatePEM: String
    public var serverKeyPEM: Secret<String>

    /// `aud` of an assertion, whoever stands in for it.
    static let audience = "https://oauth2.googleapis.com/token"

    /// New ones. It takes some 100 ms of the calling thread.
    ///
    /// - Parameter names: further names and addresses of the servers beside the local ones.
    public static func make(names: [String] = []) throws(SimulatorFault) -> SimulatorCredentials {
        do throws(CryptographyFault) {
            let authority = try CertificateAuthority()
            let local = ["localhost", "127.0.0.1", "::1"]
            let server = try authority.issue(names: local + names.filter { !local.contains($0) })
            return SimulatorCredentials(
                apnsKey: try .generateP256(), accountKey: try .generateRSA(),
                authorityPEM: authority.certificatePEM,
                serverCertificatePEM: server.certificatePEM, serverKeyPEM: server.keyPEM)
        } catch {
            throw SimulatorFault("cannot make keys: \(error)")
        }
    }

    /// The service account as Google gives it out.
    public func serviceAccountJSON() throws(SimulatorFault) -> Secret<String> {
        let pem: Secret<String>
        do { pem = try accountKey.pem() } catch {
            throw SimulatorFault("cannot write the account's key: \(error)")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "service_account")
        writer.member("project_id", projectID)
        writer.member("private_key_id", accountKeyID)
        writer.member("private_key", pem.reveal())
        writer.member("client_email", accountEmail)
        writer.member("client_id", "100000000000000000001")
        writer.member("auth_uri", "https://accounts.google.com/o/oauth2/auth")
        writer.member("token_uri", Self.audience)
        writer.member(
            "auth_provider_x509_cert_url", "https://www.googleapis.com/oauth2/v1/certs")
        writer.member("universe_domain", "googleapis.com")
        writer.endObject()
        return Secret(String(decoding: writer.bytes, as: UTF8.self))
    }
}
