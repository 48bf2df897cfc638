import Runtime
import Values

/// The credentials of one push provider as the environment gives them.
///
/// A fault here never stops a start: it switches this provider off and everything else works.
enum Credentials<Value: Sendable>: Sendable {
    /// Nothing is set.
    case none
    /// Something is set that cannot be used; each fault names its variable and never the key.
    case faulty([EnvironmentFault])
    case ready(Value)

    var isSet: Bool {
        if case .none = self { return false }
        return true
    }
}

/// What APNs is spoken to with: a token signing key of Apple's developer account, and another for
/// the sandbox when the keys are bound to one environment.
struct APNsSettings: Sendable {
    struct Key: Sendable {
        let pem: Secret<String>
        let id: String
        /// The variable that the key came from, for words about a fault in it.
        let variable: String
    }

    let production: Key
    let sandbox: Key
    let team: String
    let topic: String
}

/// A Google service account as the console hands it out.
struct FCMSettings: Sendable {
    let account: Secret<String>
    let variable: String
    /// Another project than the account's own.
    let project: String?
}

/// Both providers and the seams that tests and the simulator turn.
struct ProviderSettings: Sendable {
    static let credentialVariables = [
        "APNS_KEY_P8", "APNS_KEY_PATH", "APNS_SANDBOX_KEY_P8", "APNS_SANDBOX_KEY_PATH",
        "FCM_SERVICE_ACCOUNT_JSON", "FCM_SERVICE_ACCOUNT_PATH",
    ]

    let apns: Credentials<APNsSettings>
    let fcm: Credentials<FCMSettings>
    let apnsProductionURL: String
    let apnsSandboxURL: String
    let fcmURL: String
    /// Nil: the account's own `token_uri`.
    let fcmTokenURL: String?
    /// Nil: what the system trusts.
    let certificateAuthorities: String?

    /// Whether there are credentials for a provider, good or faulty.
    var isAnySet: Bool { apns.isSet || fcm.isSet }

    init(_ reader: inout SettingsReader) {
        apns = Self.apns(&reader)
        fcm = Self.fcm(&reader)
        apnsProductionURL = Self.url(
            &reader, "APNS_PRODUCTION_URL", "https://api.push.apple.com", "APNs, production")
        apnsSandboxURL = Self.url(
            &reader, "APNS_SANDBOX_URL", "https://api.sandbox.push.apple.com", "APNs, sandbox")
        fcmURL = Self.url(&reader, "FCM_URL", "https://fcm.googleapis.com", "FCM")
        fcmTokenURL = Self.optionalURL(
            &reader, "FCM_TOKEN_URL", "the account's `token_uri`", "Google's token endpoint")
        certificateAuthorities = reader.text(
            "PROVIDER_CA_PATH", form: "a PEM file", standard: "the system's",
            "who vouches for the providers' certificates")
        if let file = certificateAuthorities, !Files.exists(file) {
            reader.refuse("PROVIDER_CA_PATH", "names a file that is not there")
        }
    }

    private static func apns(_ reader: inout SettingsReader) -> Credentials<APNsSettings> {
        let pem = CredentialText(
            &reader, content: "APNS_KEY_P8", path: "APNS_KEY_PATH", form: "a `.p8` key",
            "token signing key for APNs")
        let id = reader.text("APNS_KEY_ID", form: "10 characters", "id of that key")
        let team = reader.text("APNS_TEAM_ID", form: "10 characters", "Apple's id of the team")
        let topic =
            reader.text(
                "APNS_TOPIC", form: "a bundle id", standard: "com.mobiari.merchant",
                "the app that receives the pushes") ?? "com.mobiari.merchant"
        let sandboxPEM = CredentialText(
            &reader, content: "APNS_SANDBOX_KEY_P8", path: "APNS_SANDBOX_KEY_PATH",
            form: "a `.p8` key", standard: "the common key",
            "key for the sandbox, since newer keys belong to one environment")
        let sandboxID = reader.text(
            "APNS_SANDBOX_KEY_ID", form: "10 characters", standard: "`APNS_KEY_ID`",
            "id of that key")

        guard pem.isSet || sandboxPEM.isSet || id != nil || team != nil else { return .none }
        var faults = pem.faults + sandboxPEM.faults
        let needed: [(String, Bool)] = [
            ("APNS_KEY_P8", pem.isSet), ("APNS_KEY_ID", id != nil), ("APNS_TEAM_ID", team != nil),
            ("APNS_SANDBOX_KEY_ID", !sandboxPEM.isSet || sandboxID != nil),
        ]
        for (name, isThere) in needed where !isThere {
            faults.append(EnvironmentFault(variable: name, problem: "is missing, APNs is off"))
        }
        guard faults.isEmpty, let text = pem.text, let id, let team else { return .faulty(faults) }
        let production = APNsSettings.Key(pem: text, id: id, variable: pem.variable)
        let sandbox = APNsSettings.Key(
            pem: sandboxPEM.text ?? text, id: sandboxPEM.isSet ? sandboxID ?? id : id,
            variable: sandboxPEM.isSet ? sandboxPEM.variable : pem.variable)
        return .ready(
            APNsSettings(production: production, sandbox: sandbox, team: team, topic: topic))
    }

    private static func fcm(_ reader: inout SettingsReader) -> Credentials<FCMSettings> {
        let account = CredentialText(
            &reader, content: "FCM_SERVICE_ACCOUNT_JSON", path: "FCM_SERVICE_ACCOUNT_PATH",
            form: "a service account, JSON", "credentials for FCM")
        let project = reader.text(
            "FCM_PROJECT_ID", form: "a Firebase project", standard: "the account's own",
            "the project that is sent through")
        guard account.isSet else { return .none }
        guard account.faults.isEmpty, let text = account.text else {
            return .faulty(account.faults)
        }
        return .ready(FCMSettings(account: text, variable: account.variable, project: project))
    }

    private static func url(
        _ reader: inout SettingsReader, _ name: String, _ standard: String, _ effect: String
    ) -> String {
        optionalURL(&reader, name, standard, effect) ?? standard
    }

    private static func optionalURL(
        _ reader: inout SettingsReader, _ name: String, _ standard: String, _ effect: String
    ) -> String? {
        let text = reader.text(name, form: "a URL", standard: standard, effect)
        if let text, !text.hasPrefix("https://"), !text.hasPrefix("http://") {
            reader.refuse(name, "must begin with https://")
        }
        return text
    }
}

/// A credential that comes as its content or as the path of a file; the content goes first.
private struct CredentialText {
    let text: Secret<String>?
    let variable: String
    let faults: [EnvironmentFault]
    let isSet: Bool

    init(
        _ reader: inout SettingsReader, content: String, path: String, form: String,
        standard: String = "", _ effect: String
    ) {
        let given = reader.secret(content, form: form, standard: standard, effect)
        let file = reader.text(path, form: "a file", "the same from a file")
        isSet = given != nil || file != nil
        if given != nil, file != nil {
            reader.warn("\(content) and \(path) are both set: \(content) is used")
        }
        if let given {
            (text, variable, faults) = (given, content, [])
            return
        }
        variable = path
        guard let file else {
            (text, faults) = (nil, [])
            return
        }
        do throws(FileFault) {
            (text, faults) = (Secret(try Files.readText(file)), [])
        } catch {
            (text, faults) = (nil, [EnvironmentFault(variable: path, problem: "\(error)")])
        }
    }
}
