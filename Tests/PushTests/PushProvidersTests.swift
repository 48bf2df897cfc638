import Cryptography
import HTTP2
import Push
import Runtime
import Testing

@Suite("Routes and endpoints")
struct PushProvidersTests {
    @Test("a route without a sender is not configured")
    func empty() async {
        let providers = PushProviders()
        #expect(!providers.has(.fcm()))
        #expect(await providers.probe(.apns(.production)) == nil)
        #expect(providers.routes.isEmpty)
    }

    @Test("a route is found by its own name alone")
    func found() throws {
        let double = try ProviderDouble { _, _ in nil }
        let credentials = APNsCredentials(
            key: try .generateP256(), keyID: "K", teamID: "T", bundleID: "b")
        let sender = APNsSender(
            route: .apns(.sandbox), credentials: credentials, endpoint: try double.endpoint())
        let providers = PushProviders(apns: [sender])
        #expect(providers.routes == [.apns(.sandbox)])
        #expect(providers.has(.apns(.sandbox)))
        #expect(!providers.has(.apns(.production)))
        #expect(!providers.has(.apns(.sandbox, app: "other")))
    }

    @Test("an endpoint is https and a host, and a fault names its variable")
    func endpoint() throws {
        let endpoint = try PushEndpoint(
            url: "https://api.push.apple.com", variable: "X", caPath: nil)
        #expect(endpoint.origin.host == "api.push.apple.com")
        #expect(endpoint.origin.port == 443)
        for url in ["http://127.0.0.1:1", "https://h/path", "https://h?x=1", "h", "http://h", ""] {
            let fault = #expect(throws: EnvironmentFault.self) {
                try PushEndpoint(url: url, variable: "APNS_PRODUCTION_URL", caPath: nil)
            }
            #expect(fault?.variable == "APNS_PRODUCTION_URL")
        }
    }
}
