public import Values

extension Wording {
    /// An alert as it would stand on both platforms, for a store that tries its own texts.
    public func preview(
        _ push: OutgoingPush, now: Timestamp
    ) -> (apns: PushPreview, fcm: PushPreview) {
        let apns = APNsPayload(push, bundleID: "")
        let fcm = FCMPayload(push, token: "", now: now)
        return (
            PushPreview(
                title: apns.title, subtitle: apns.subtitle, body: apns.text,
                bytes: apns.body.count, cut: apns.cut),
            PushPreview(
                title: fcm.title, subtitle: nil, body: fcm.text, bytes: fcm.countedBytes,
                cut: fcm.cut)
        )
    }
}

/// What a phone would show, and what it costs of the provider's limit.
public struct PushPreview: Sendable, Equatable {
    /// As it would stand, cut texts with `…`.
    public let title: String?
    /// The store's name, on an iPhone.
    public let subtitle: String?
    /// Nil when nothing is said beyond the title, or nothing is shown.
    public let body: String?
    /// What the provider counts: of APNs the JSON body, of FCM keys and values.
    public let bytes: Int
    /// Which texts had to be cut.
    public let cut: [PushPart]
}

extension AlertContent {
    /// Something to show where no event is at hand.
    public static let sample: AlertContent = {
        var content = AlertContent()
        content.number = "1042"
        content.total = Money(amount: "1234.56", currency: "BRL")
        content.customer = "Ana Souza"
        content.product = "Camiseta"
        content.variant = "P"
        content.location = "Centro"
        content.quantity = 3
        content.message = Message(kind: .text, text: "Olá! 👋")
        return content
    }()
}
