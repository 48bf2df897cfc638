/// What APNs wants of one push type: the topic's suffix, the priorities and the size.
///
/// A declared table: a kind to come is one more line.
struct PushTypeRule: Sendable {
    let suffix: String
    let priorities: Set<String>
    let limit: Int

    private init(
        suffix: String = "", priorities: Set<String> = ["10", "5", "1"], limit: Int = 4096
    ) {
        self.suffix = suffix
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
        "pushtotalk": PushTypeRule(suffix: ".voip-ptt", priorities: ["10"]),
        "widgets": PushTypeRule(suffix: ".push-type.widgets"),
    ]

    /// The default when the header is absent.
    static let alert = PushTypeRule()
}
