/// What to do about a provider's reason, in words.
///
/// https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns
/// https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode
enum Advice {
    static func about(_ reason: String) -> String {
        table[reason] ?? "the provider's own words; look the reason up in its documentation"
    }

    static let table: [String: String] = [
        "InvalidProviderToken":
            "APNs cannot verify the token: is APNS_KEY_ID the id of this very key, and APNS_TEAM_ID "
            + "the team that it belongs to? A revoked key looks the same",
        "ExpiredProviderToken":
            "the token is older than an hour or of the future: is this machine's clock right?",
        "MissingProviderToken": "no token reached APNs: does a proxy between remove it?",
        "TopicDisallowed":
            "the key may not send to this app: is APNS_TOPIC the bundle id of an app of this team?",
        "BadTopic": "APNS_TOPIC is no bundle id",
        "MissingTopic": "APNS_TOPIC is empty",
        "BadEnvironmentKeyInToken":
            "the key belongs to the other environment: set APNS_SANDBOX_KEY_PATH and "
            + "APNS_SANDBOX_KEY_ID to the sandbox' own",
        "BadEnvironmentKeyIdInToken":
            "the key belongs to the other environment: set APNS_SANDBOX_KEY_PATH and "
            + "APNS_SANDBOX_KEY_ID to the sandbox' own",
        "UnrelatedKeyIdInToken":
            "the connection was opened with another key: use one key per environment",
        "Forbidden": "the key may not do this: is it made for push notifications?",
        "TooManyProviderTokenUpdates":
            "the token was changed more often than every 20 minutes: does each process start anew "
            + "all the time?",
        "DeviceTokenNotForTopic":
            "devices belong to another app: is APNS_TOPIC the bundle id that the app was built with?",
        "BadDeviceToken":
            "devices belong to the other environment: do debug builds register as production?",
        "PERMISSION_DENIED":
            "the service account may not send: give it the role Firebase Cloud Messaging API Admin, "
            + "and is FCM_PROJECT_ID the project of the app?",
        "UNAUTHENTICATED":
            "Google refuses the access token: was the service account's key deleted?",
        "SENDER_ID_MISMATCH":
            "devices belong to another project: is FCM_PROJECT_ID the one in the app?",
        "THIRD_PARTY_AUTH_ERROR":
            "Firebase cannot reach APNs for this app: upload the APNs key in the Firebase console",
        "NOT_FOUND": "there is no such project, or its FCM API is off: enable it in the console",
        "invalid_grant":
            "Google refuses the assertion: was the key deleted, and is this machine's clock right?",
        "invalid_client": "Google does not know the account: was it deleted?",
        "unauthorized_client": "the account may not ask for this scope",
        "SERVICE_DISABLED":
            "the FCM API is off in this project: enable it in the Google Cloud console",
    ]
}
