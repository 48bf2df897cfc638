import JSON
import Values

/// One phone as the pushes that it accepted leave it: its lock screen and the badge of its icon.
struct Phone: Sendable, Equatable {
    /// Something that stands on the lock screen.
    struct Notice: Sendable, Equatable {
        let title: String
        let subtitle: String?
        let body: String?
        let at: Timestamp
        /// A later notice with the same one takes its place.
        let replaces: String?
        /// iOS stacks the notices of one thread.
        let thread: String?
    }

    /// What tells phones apart: one token may be known to both environments of APNs.
    struct Address: Sendable, Hashable {
        let provider: SimulatedProvider
        let environment: String
        let token: String
    }

    /// A phone's screen is finite; what is older is not kept.
    private static let limit = 50

    let address: Address
    /// Newest first.
    private(set) var notices: [Notice] = []
    private(set) var badge: Int64?
    /// The last request for this phone, accepted or not.
    private(set) var latest: InboxEntry

    /// The phones in the order in which the first push for each came.
    static func all(_ entries: [InboxEntry]) -> [Phone] {
        var phones: [Phone] = []
        var places: [Address: Int] = [:]
        for entry in entries {
            guard let token = entry.token else { continue }
            let address = Address(
                provider: entry.provider, environment: entry.environment, token: token)
            if let place = places[address] {
                phones[place].take(entry)
            } else {
                places[address] = phones.count
                var phone = Phone(address: address, latest: entry)
                phone.take(entry)
                phones.append(phone)
            }
        }
        return phones
    }

    private mutating func take(_ entry: InboxEntry) {
        latest = entry
        guard entry.isAccepted, let body = entry.json else { return }
        let isAPNs = address.provider == .apns
        let badge =
            isAPNs
            ? body["aps"]?["badge"]
            : body["message"]?["android"]?["notification"]?["notification_count"]
        if let badge = badge?.integer { self.badge = badge }
        guard let notice = isAPNs ? Notice(apns: body, entry) : Notice(fcm: body, entry)
        else { return }
        if let key = notice.replaces { notices.removeAll { $0.replaces == key } }
        notices.insert(notice, at: 0)
        if notices.count > Self.limit { notices.removeLast() }
    }
}

extension Phone.Notice {
    /// Nil when the push shows nothing.
    fileprivate init?(apns body: JSONValue, _ entry: InboxEntry) {
        guard let alert = body["aps"]?["alert"] else { return nil }
        guard let title = alert.text ?? alert["title"]?.text else { return nil }
        self.init(
            title: title, subtitle: alert["subtitle"]?.text, body: alert["body"]?.text,
            at: entry.at, replaces: entry.header("apns-collapse-id"),
            thread: body["aps"]?["thread-id"]?.text)
    }

    /// Nil when the message shows nothing. What replaces on Android's screen is the tag; its
    /// `collapse_key` concerns what still waits at FCM.
    fileprivate init?(fcm body: JSONValue, _ entry: InboxEntry) {
        guard let notification = body["message"]?["notification"],
            let title = notification["title"]?.text
        else { return nil }
        let android = body["message"]?["android"]?["notification"]
        self.init(
            title: title, subtitle: nil, body: notification["body"]?.text, at: entry.at,
            replaces: android?["tag"]?.text, thread: nil)
    }
}
