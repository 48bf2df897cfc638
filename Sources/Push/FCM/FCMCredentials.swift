public import Cryptography
import JSON
public import Runtime
public import Values
public import WebClient

/// A Google service account, as its JSON key file describes it. It prints without the key.
public struct FCMCredentials: Sendable, CustomStringConvertible {
    public let key: SigningKey
    /// Google's id of the key, `kid` of the assertion.
    public let keyID: String?
    public let email: String
    /// The Firebase project that is sent through.
    public let project: String
    /// Where access tokens are asked for.
    public let tokenURL: WebURL
    /// `aud` of the assertion: Google's own address, whoever stands in for it.
    public let audience: String

    static let standardTokenURL = "https://oauth2.googleapis.com/token"

    /// Reads the account.
    ///
    /// - Parameters:
    ///   - json: the whole key file
    ///   - variable: where it came from, for the fault
    ///   - project: another project than the account's own (`FCM_PROJECT_ID`)
    ///   - tokenURL: another token endpoint (`FCM_TOKEN_URL`). Without it the file's `token_uri` is
    ///     called, and only if it is Google's: a file must not make us send assertions elsewhere.
    public init(
        json: Secret<String>, variable: String, project: String?, tokenURL: String?
    ) throws(EnvironmentFault) {
        let file = try ServiceAccountFile(json, variable)
        key = try file.key()
        keyID = file.text("private_key_id")
        email = try file.needed("client_email")
        self.project = try file.project(or: project)
        audience = try file.audience(isReplaced: tokenURL != nil) ?? Self.standardTokenURL
        do throws(WebFailure) {
            self.tokenURL = try WebURL(tokenURL ?? audience)
        } catch {
            let source = tokenURL == nil ? variable : "FCM_TOKEN_URL"
            throw EnvironmentFault(variable: source, problem: "\(error), FCM is off")
        }
    }

    public var description: String { "service account \(email) for project \(project)" }
}

/// The JSON that the Firebase console hands out, or what people take for it.
private struct ServiceAccountFile {
    private let object: JSONObject
    private let variable: String

    init(_ json: Secret<String>, _ variable: String) throws(EnvironmentFault) {
        self.variable = variable
        let value: JSONValue
        do throws(JSONFault) {
            value = try JSONValue.parse(Array(Self.unquoted(json.reveal()).utf8))
        } catch {
            // The fault's place is safe to tell, the text around it is not.
            throw Self.fault(variable, "is not JSON (\(error))")
        }
        guard let object = value.object else { throw Self.fault(variable, "is not a JSON object") }
        self.object = object
        if let other = Self.otherFile(object) { throw Self.fault(variable, other) }
    }

    func text(_ name: String) -> String? {
        guard let text = object[name]?.text, !text.isEmpty else { return nil }
        return text
    }

    func needed(_ name: String) throws(EnvironmentFault) -> String {
        guard let text = text(name) else { throw Self.fault(variable, "lacks \(name)") }
        return text
    }

    func key() throws(EnvironmentFault) -> SigningKey {
        let pem = try needed("private_key")
        do throws(KeyFault) {
            return try SigningKey.rsa(pem: pem)
        } catch {
            throw Self.fault(variable, "private_key \(error)")
        }
    }

    func project(or other: String?) throws(EnvironmentFault) -> String {
        guard let project = other ?? text("project_id") else {
            throw Self.fault(variable, "lacks project_id, and FCM_PROJECT_ID is not set")
        }
        let isName = project.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || [UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: ".")].contains(byte)
        }
        // It becomes a part of the path.
        guard isName else {
            let source = other == nil ? variable : "FCM_PROJECT_ID"
            throw Self.fault(source, "names a project with characters that no project has")
        }
        return project
    }

    /// Google's own address in the file; nil if there is none.
    ///
    /// - Parameter isReplaced: another is called anyway, so that the file's may be whatever it is
    func audience(isReplaced: Bool) throws(EnvironmentFault) -> String? {
        guard let text = text("token_uri") else { return nil }
        if (try? WebURL(text)).map(Self.isGoogle) ?? false { return text }
        guard isReplaced else {
            throw Self.fault(
                variable, "has a token_uri that is not Google's; FCM_TOKEN_URL sets another")
        }
        return nil
    }

    private static func isGoogle(_ url: WebURL) -> Bool {
        url.scheme == "https" && url.port == 443
            && (url.host.hasSuffix(".googleapis.com") || url.host == "accounts.google.com")
    }

    /// What it is instead of a service account, with the way to the right one.
    private static func otherFile(_ object: JSONObject) -> String? {
        let way =
            "a service account's key is wanted (Firebase console, Project settings, Service accounts)"
        if object["project_info"] != nil, object["client"] != nil {
            return "is the app's google-services.json: \(way)"
        }
        if object["web"] != nil || object["installed"] != nil {
            return "is an OAuth client's secret: \(way)"
        }
        guard let type = object["type"]?.text else { return "lacks type: \(way)" }
        switch type {
        case "service_account": return nil
        case "authorized_user": return "is a person's credential (authorized_user): \(way)"
        case "external_account": return "is a federated credential (external_account): \(way)"
        default: return "is of another type than service_account: \(way)"
        }
    }

    /// Environment files leave the quotes that they were given.
    private static func unquoted(_ text: String) -> Substring {
        let blank: (Character) -> Bool = { $0.isWhitespace }
        var text = text.drop(while: blank)
        while let last = text.last, blank(last) { text.removeLast() }
        guard text.count > 1, text.first == "'", text.last == "'" else { return text }
        return text.dropFirst().dropLast()
    }

    private static func fault(_ variable: String, _ problem: String) -> EnvironmentFault {
        EnvironmentFault(variable: variable, problem: "\(problem), FCM is off")
    }
}
