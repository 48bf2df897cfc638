import Alerts
import Push
import Storage
import Values

/// A push that a person sends to a device of theirs, to see that pushes arrive.
struct DeviceTest: Sendable {
    let wording: Wording
    let providers: PushProviders

    /// Sends at once, in the device's language.
    ///
    /// - Throws: 503 when nothing sends to such a device.
    func send(to target: Devices.Target, now: Timestamp) async throws -> Result {
        let line = target.line
        let id = PushID(.v7())
        let locale = wording.catalogue.locale(for: [line.locale, target.userLocale])
        let text = try wording.text(of: .test, AlertContent(), in: locale)
        let push = OutgoingPush.test(id: id, text: text, now: now)
        let route = PushRoute(
            app: line.app, transport: line.transport,
            environment: line.transport == Transport.apns.rawValue ? line.environment : "")
        if let sender = providers.apns(route) {
            let payload = APNsPayload(push, bundleID: sender.credentials.bundleID)
            let result = await sender.send(
                APNsPush(
                    token: target.token, payload: payload, registeredAt: line.lastRegisteredAt))
            return Result(result, of: id)
        }
        if let sender = providers.fcm(route) {
            let payload = FCMPayload(push, token: target.token.reveal(), now: now)
            return Result(await sender.send(FCMPush(payload)), of: id)
        }
        throw Problem(.pushNotConfigured)
    }

    /// What the provider made of it.
    enum Result: Sendable {
        case accepted(messageID: String)
        /// The token is dead: the device goes.
        case invalid(ProviderWord)
        case failed(ProviderWord)

        init(_ result: PushResult, of push: PushID) {
            switch result.outcome {
            case .accepted(let id): self = .accepted(messageID: id ?? push.description)
            case .unregistered(let word, .delete): self = .invalid(word)
            case .unregistered(let word, .keep), .retry(let word, _), .throttled(let word, _),
                .credentialsRefused(let word, _), .targetRefused(let word),
                .requestRefused(let word):
                self = .failed(word)
            }
        }
    }
}
