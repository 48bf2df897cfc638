public import Alerts
public import Values

extension PushMaterial {
    /// The push as it is about to be written for its provider.
    public func outgoing(
        _ id: PushID, to device: TargetDevice, _ wording: Wording
    ) throws(WordingFault) -> OutgoingPush {
        try OutgoingPush(
            id, of: alert, store, locales: [device.locale, userLocale], templates: templates,
            badge: badge, wording)
    }
}

extension OutgoingPush {
    /// - Parameters:
    ///   - locales: the device's and its person's; the store's comes after them.
    ///   - templates: the store's own words for the kind, by language.
    public init(
        _ id: PushID, of alert: Alert, _ store: StoreFacts, locales: [String?],
        templates: [String: StoredWords], badge: Int?, _ wording: Wording
    ) throws(WordingFault) {
        let locale = wording.catalogue.locale(for: locales + [store.locale])
        let text = try wording.text(
            of: alert.kind, alert.content, in: locale,
            replacement: templates[locale.language]?.template)
        self.init(
            id: id, kind: alert.kind, alert: alert.id, store: alert.store, storeName: store.name,
            subject: alert.subject, text: text, badge: badge, occurredAt: alert.occurredAt)
    }
}

extension StoredWords {
    /// As `Wording` takes it.
    public var template: Alerts.Template { Alerts.Template(title: title, body: body) }
}
