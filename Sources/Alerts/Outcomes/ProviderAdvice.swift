/// What to do about a provider's reason, in words for an operator.
public enum ProviderAdvice {
    /// Advice for a reason as it is kept with an attempt; nil when nobody documented it.
    public static func words(for reason: String) -> String? {
        apns[reason] ?? fcm[reason] ?? ours[reason] ?? thirdParty(reason)
            ?? ofTokenRequest(reason) ?? withoutWord(reason)
    }

    /// The same, with something to do for every reason.
    public static func sentence(for reason: String) -> String {
        words(for: reason)
            ?? "Nobody documented this reason here: look it up at the provider, and see the log."
    }

    private static func thirdParty(_ reason: String) -> String? {
        reason.hasPrefix("THIRD_PARTY_AUTH_ERROR_") ? fcm["THIRD_PARTY_AUTH_ERROR"] : nil
    }

    /// What the endpoint for access tokens said, or why it said nothing.
    private static func ofTokenRequest(_ reason: String) -> String? {
        reason.hasPrefix("token_") ? words(for: String(reason.dropFirst(6))) : nil
    }

    /// `http_403`: a status without a word of the provider.
    private static func withoutWord(_ reason: String) -> String? {
        guard reason.hasPrefix("http_"), Int(reason.dropFirst(5)) != nil else { return nil }
        return
            "The answer has no word of Apple or Google: something between answers in their place. "
            + "Check proxy and firewall on the way to port 443."
    }

    /// Where the provider gave no reason, or was never reached.
    private static let ours = [
        "timeout":
            "The provider did not answer in time: is port 443 open towards it, and is a proxy or "
            + "firewall between that holds HTTP/2 back?",
        "cannot_connect":
            "The provider cannot be reached: check name resolution, the route and the firewall "
            + "towards port 443, and PROVIDER_CA_PATH.",
        "connection_lost": "The connection broke: it is sent again. Often: look at the network.",
        "stream_reset": "The provider broke the request off: it is sent again.",
        "no_trust":
            "The provider's certificate is not trusted: install ca-certificates, or mend "
            + "PROVIDER_CA_PATH.",
        "answer_too_large": "Something between answers in the provider's place: a proxy?",
        "answer_not_json": "Something between answers in the provider's place: a proxy?",
        "cannot_sign": "The key cannot sign: take the file anew as the provider gave it.",
        "address_not_allowed": "The token address of the service account is not allowed.",
        "poison":
            "Workers died or stalled five times with it: look for crashes at these times, then "
            + "retry it.",
        "unknown_kind": "No worker knows this kind of job: was it added by hand, or by a newer "
            + "version?",
        "undecodable": "The job's arguments cannot be read: discard it and add it anew.",
    ]

    // https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns
    private static let apns = [
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
        "MethodNotAllowed": headers,
        "IdleTimeout": "Apple closed an idle connection: it is sent again.",
    ]

    private static let headers =
        "Apple refuses the form of the request: does a proxy between change it? If none does, "
        + "report it."

    // https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode
    private static let fcm = [
        "UNREGISTERED": "The app was removed or its token is no longer used. Nothing to do.",
        "SENDER_ID_MISMATCH":
            "The token belongs to another Firebase project: compare FCM_PROJECT_ID with the "
            + "app's google-services.json.",
        "INVALID_ARGUMENT": "Google refused the message or its token: see the attempt.",
        "THIRD_PARTY_AUTH_ERROR":
            "Firebase cannot reach Apple or a browser's service: check the APNs key within the "
            + "Firebase project.",
        "QUOTA_EXCEEDED": "The project's or device's quota is used up: it is sent again later.",
        "UNAVAILABLE": "Google is unavailable: it is sent again.",
        "INTERNAL": "A fault at Google: it is sent again.",
        "UNAUTHENTICATED":
            "Google refuses the access token: check the service account and this machine's clock.",
        "PERMISSION_DENIED":
            "The service account may not send: enable the Firebase Cloud Messaging API and grant "
            + "cloudmessaging.messages.create.",
        "NOT_FOUND": "There is no such Firebase project: check FCM_PROJECT_ID.",
        "invalid_grant":
            "Google refuses the service account: it was removed, its key revoked, or this "
            + "machine's clock is wrong.",
        "invalid_client": "Google does not know the service account: was it deleted?",
        "unauthorized_client": "The service account may not ask for this scope.",
        "SERVICE_DISABLED":
            "The Firebase Cloud Messaging API is off in this project: enable it in the Google "
            + "Cloud console.",
        "UNSPECIFIED_ERROR": "Google gave no reason: see the attempt.",
        "APNS_AUTH_ERROR":
            "Firebase cannot reach Apple: check the APNs key within the Firebase project.",
        "invalid_scope": "Google refuses the scope of the access token.",
        "invalid_request": "Google cannot read the request for an access token.",
    ]
}
