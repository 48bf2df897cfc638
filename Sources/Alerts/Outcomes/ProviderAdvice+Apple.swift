extension ProviderAdvice {
    // https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns
    static let apns = [
        "BadDeviceToken":
            "The token is malformed or of the other environment: a debug build registers sandbox "
            + "tokens, TestFlight and the App Store production ones.",
        "DeviceTokenNotForTopic":
            "The token belongs to another app: compare APNS_TOPIC with the app's bundle id.",
        "BadTopic": "APNS_TOPIC is no valid topic: it must be the app's bundle id.",
        "MissingTopic": "APNS_TOPIC is empty: set it to the app's bundle id.",
        "TopicDisallowed":
            "The key may not send to this topic: compare APNS_TOPIC with the app's bundle id, use a "
            + "key of the team that owns the app, or add the app to the key.",
        "InvalidProviderToken":
            "Apple cannot verify the signature: APNS_KEY_ID and APNS_TEAM_ID must belong to the "
            + "key, and the key must not be revoked.",
        "MissingProviderToken": "No token was sent: set the APNS_KEY variables.",
        "ExpiredProviderToken":
            "The token was older than an hour or from the future: check this machine's clock.",
        "UnrelatedKeyIdInToken":
            "A connection was opened with another key: it is repeated on a new connection.",
        "BadEnvironmentKeyInToken":
            "The key belongs to the other environment: set APNS_SANDBOX_KEY_P8 and "
            + "APNS_SANDBOX_KEY_ID beside the production key.",
        "Forbidden": "The key may not do this: check its rights in the developer account.",
        "TooManyProviderTokenUpdates":
            "Tokens are renewed too often: is the same key used by another sender here?",
        "TooManyRequests": "Too many pushes to one device: they are sent again later.",
        "Unregistered": "The app was removed or the device has a new token. Nothing to do.",
        "ExpiredToken": "The device's token has expired. Nothing to do.",
        "PayloadTooLarge": "The body is over Apple's limit: report it, the payload should be cut.",
        "InternalServerError": "A fault at Apple: it is sent again.",
        "ServiceUnavailable": "Apple is unavailable: it is sent again.",
        "Shutdown": "Apple's server is shutting down: it is sent again.",
        "BadCertificate": "A client certificate was shown: something between adds one.",
        "BadCertificateEnvironment": "A client certificate was shown: something between adds one.",
        "BadCollapseId": headers, "BadExpirationDate": headers, "BadMessageId": headers,
        "BadPriority": headers, "InvalidPushType": headers, "DuplicateHeaders": headers,
        "MissingDeviceToken": headers, "PayloadEmpty": headers, "BadPath": headers,
        "MethodNotAllowed": headers, "BadRequestPayload": headers,
        "IdleTimeout": "Apple closed an idle connection: it is sent again.",
    ]

    private static let headers =
        "Apple refuses the form of the request: does a proxy between change it? If none does, "
        + "report it."

    /// Apple's reasons where the key is the one that Firebase keeps.
    static let keyOfFirebase = [
        "InvalidProviderToken":
            "its key was revoked, or key id or team id beside it are wrong: upload the APNs key anew "
            + "in the Firebase project, under Cloud Messaging.",
        "ExpiredProviderToken":
            "that is a fault at Google. If it stays, upload the APNs key anew in the Firebase "
            + "project.",
        "BadEnvironmentKeyInToken":
            "its key is of the other environment: upload keys for development and for production in "
            + "the Firebase project, under Cloud Messaging.",
        "TopicDisallowed":
            "its key may not send to this app: upload a key of the team that owns the app.",
        "BadCertificateEnvironment":
            "its certificate is of the other environment: upload an APNs key in its place.",
        "BadCertificate":
            "its certificate is not valid: upload an APNs key in its place in the Firebase project.",
    ]
}
