public import Cryptography
public import Runtime
public import Values

/// What APNs knows us by in one environment. It prints without the key.
public struct APNsCredentials: Sendable, CustomStringConvertible {
    public let key: SigningKey
    /// Apple's id of the key, `kid` of the token.
    public let keyID: String
    /// Apple's id of the team, `iss` of the token.
    public let teamID: String
    /// The app's bundle id, from which `apns-topic` is made.
    public let bundleID: String

    public init(key: SigningKey, keyID: String, teamID: String, bundleID: String) {
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.bundleID = bundleID
    }

    /// Reads the key.
    ///
    /// - Parameter variable: where the key came from, for the fault, which says what the text is
    ///   and nothing of what is in it.
    public init(
        pem: Secret<String>, variable: String, keyID: String, teamID: String, bundleID: String
    ) throws(EnvironmentFault) {
        do throws(KeyFault) {
            let key = try SigningKey.ec(pem: pem.reveal())
            self.init(key: key, keyID: keyID, teamID: teamID, bundleID: bundleID)
        } catch {
            throw EnvironmentFault(variable: variable, problem: "\(error), APNs is off")
        }
    }

    public var description: String { "APNs key \(keyID) of team \(teamID) for \(bundleID)" }
}
