/// What APNs wants of one push type: the topic, the priorities and the size.
///
/// A declared table: a kind to come is one more line.
struct PushTypeRule: Sendable {
    private let suffix: String
    /// What a topic that is none of an app begins with: the UID of an MDM certificate's subject.
    private let prefix: String?
    let priorities: Set<String>
    let limit: Int

    private init(
        suffix: String = "", prefix: String? = nil, priorities: Set<String> = ["10", "5", "1"],
        limit: Int = 4096
    ) {
        self.suffix = suffix
        self.prefix = prefix
        self.priorities = priorities
        self.limit = limit
    }

    /// https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns
    static let all: [String: PushTypeRule] = [
        "alert": PushTypeRule(),
        "background": PushTypeRule(priorities: ["5"]),
        "voip": PushTypeRule(suffix: ".voip", limit: 5120),
        "complication": PushTypeRule(suffix: ".complication"),
        "controls": PushTypeRule(suffix: ".push-type.controls"),
        "fileprovider": PushTypeRule(suffix: ".pushkit.fileprovider"),
        "liveactivity": PushTypeRule(suffix: ".push-type.liveactivity"),
        "location": PushTypeRule(suffix: ".location-query", priorities: ["10", "5"]),
        "mdm": PushTypeRule(prefix: "com.apple.mgmt."),
        "pushtotalk": PushTypeRule(suffix: ".voip-ptt", priorities: ["10"]),
        "widgets": PushTypeRule(suffix: ".push-type.widgets"),
    ]

    /// What is wrong with a topic, by the bundle id that the key may send to.
    func fault(in topic: String, of app: String) -> APNsVerdict? {
        let isOfApp = topic == app || topic.hasPrefix(app + ".")
        if let prefix {
            if topic.hasPrefix(prefix) { return nil }
        } else if topic == app + suffix {
            return nil
        }
        // Of this app, but for another push type.
        return .refused(isOfApp ? "BadTopic" : "TopicDisallowed")
    }

    /// The default when the header is absent.
    static let alert = PushTypeRule()
}
