/// How a push travels, chosen by its kind: rings, silent syncs and web pushes are further envelopes
/// and not further encoders.
public struct Envelope: Sendable, Equatable {
    /// What the phone does by itself.
    public enum Visibility: Sendable, Equatable {
        /// Shows title and body.
        case visible
        /// Wakes the app and shows nothing.
        case silent
        /// Carries data alone; the app shows what it likes.
        case dataOnly
    }

    /// What the phone does by itself.
    public let visibility: Visibility
    /// The sound's name, nil for none.
    public let sound: String?
    /// How long after the event providers may still hand it over.
    public let wireLife: Duration
    /// What only APNs knows.
    public let apns: APNsCarrier
    /// What only FCM knows.
    public let android: AndroidCarrier

    /// https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns
    public struct APNsCarrier: Sendable, Equatable {
        /// `apns-push-type`.
        public let pushType: String
        /// What follows the bundle id in `apns-topic`.
        public let topicSuffix: String
        /// `apns-priority`: 10 at once, 5 as the battery allows, 1 without waking.
        public let priority: Int
        /// Bytes of the JSON body.
        public let limit: Int

        public init(pushType: String, topicSuffix: String, priority: Int, limit: Int) {
            self.pushType = pushType
            self.topicSuffix = topicSuffix
            self.priority = priority
            self.limit = limit
        }
    }

    /// https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages#AndroidConfig
    public struct AndroidCarrier: Sendable, Equatable {
        /// `high` or `normal`.
        public let priority: String
        /// Bytes of the keys and values of `notification` and `data`.
        public let limit: Int

        public init(priority: String, limit: Int) {
            self.priority = priority
            self.limit = limit
        }
    }

    public init(
        visibility: Visibility, sound: String?, wireLife: Duration, apns: APNsCarrier,
        android: AndroidCarrier
    ) {
        self.visibility = visibility
        self.sound = sound
        self.wireLife = wireLife
        self.apns = apns
        self.android = android
    }

    /// An alert that is shown at once, with the system's sound, within the hour.
    public static let visibleAlert = Envelope(
        visibility: .visible, sound: "default", wireLife: .seconds(3600),
        apns: APNsCarrier(pushType: "alert", topicSuffix: "", priority: 10, limit: 4096),
        android: AndroidCarrier(priority: "high", limit: 4096))
}
