import Alerts
import Cryptography
import Foundation
import JSON
import Postgres
import Push
import Runtime
import Storage
import TestKit
import Testing
import Texts
import Values
import WebClient

@testable import API

extension PasswordCost {
    static let cheap = PasswordCost(kibibytes: 64, passes: 1)
}

extension Parts {
    /// The built-in texts, and providers whose credentials were made here and that nobody calls.
    /// Passwords cost little; that they cost much elsewhere is the hasher's own test.
    static func forTests(
        _ pool: PostgresPool, _ languages: [Catalogue.File] = [], providers: PushProviders? = nil,
        faults: [ProviderFault] = [], hasher: PasswordHasher? = nil
    ) throws -> Parts {
        Parts(
            hasher: hasher ?? PasswordHasher(cost: .cheap),
            ingest: IngestGroup(pool: pool, raised: {}), wording: try wording(languages),
            providers: try providers ?? Keys.shared.get().providers(), providerFaults: faults)
    }

    /// The texts of this repository, and more files of languages.
    static func wording(_ more: [Catalogue.File] = []) throws -> Wording {
        try LocalizationFolder(SourceTree.path("Localization")).wording(with: more)
    }

    /// One of the files of this repository.
    static func languageFile(_ language: String) throws -> String {
        try String(
            contentsOfFile: SourceTree.path("Localization/\(language).json"), encoding: .utf8)
    }

    /// Keys take a while to make: once per test process.
    private struct Keys {
        static let shared = Result { try Keys() }

        let apns: SigningKey
        let account: SigningKey

        init() throws {
            apns = try .generateP256()
            account = try .generateRSA()
        }

        func providers() throws -> PushProviders {
            let endpoint = try PushEndpoint(
                url: "https://127.0.0.1:1", variable: "URL", caPath: nil)
            let credentials = APNsCredentials(
                key: apns, keyID: "KEY1234567", teamID: "TEAM123456", bundleID: "com.example")
            let file: JSONValue = [
                "type": "service_account", "project_id": "shop-1234", "private_key_id": "abcdef",
                "private_key": .text(try account.pem().reveal()),
                "client_email": "push@shop-1234.iam.gserviceaccount.com",
                "token_uri": "https://oauth2.googleapis.com/token",
            ]
            let fcm = try FCMCredentials(
                json: Secret(String(decoding: file.encoded, as: UTF8.self)), variable: "FILE",
                project: nil, tokenURL: nil)
            return PushProviders(
                apns: [
                    APNsSender(
                        route: .apns(.production), credentials: credentials, endpoint: endpoint)
                ],
                fcm: [
                    FCMSender(
                        route: .fcm(), credentials: fcm, endpoint: endpoint, web: WebClient())
                ])
        }
    }
}
