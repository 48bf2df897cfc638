import Cryptography
import Foundation
import JSON
import Push
import Runtime
import Values

/// A service account whose key is made once per test process.
enum FCMAccount {
    static let key: SigningKey = {
        do { return try SigningKey.generateRSA() } catch { fatalError("no test key: \(error)") }
    }()

    /// The key file, with some members replaced, or left out by nil.
    static func json(_ changes: [String: JSONValue?] = [:]) throws -> String {
        var object = JSONObject([
            ("type", "service_account"), ("project_id", "shop-1234"),
            ("private_key_id", "abcdef"), ("private_key", .text(try key.pem().reveal())),
            ("client_email", "push@shop-1234.iam.gserviceaccount.com"),
            ("token_uri", "https://oauth2.googleapis.com/token"),
        ])
        for (name, value) in changes { object[name] = value }
        return String(decoding: JSONValue.object(object).encoded, as: UTF8.self)
    }

    static func credentials() throws -> FCMCredentials {
        try FCMCredentials(
            json: Secret(try json()), variable: "FCM_SERVICE_ACCOUNT_JSON", project: nil,
            tokenURL: nil)
    }
}
