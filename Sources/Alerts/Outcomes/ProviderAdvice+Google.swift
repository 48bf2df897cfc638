extension ProviderAdvice {
    // https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode
    static let fcm = [
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
        "SERVICE_DISABLED":
            "The Firebase Cloud Messaging API is off in this project: enable it in the Google "
            + "Cloud console.",
        "UNSPECIFIED_ERROR": "Google gave no reason: see the attempt.",
        "APNS_AUTH_ERROR":
            "Firebase cannot reach Apple: check the APNs key within the Firebase project.",
        "RESOURCE_EXHAUSTED":
            "Google's quota for the project or the device is used up: it is sent again later. Often: "
            + "ask for more in the Google Cloud console.",
        "DEADLINE_EXCEEDED": "Google took too long: it is sent again.",
        "UNKNOWN": "A fault at Google that it does not name: it is sent again.",
        "DATA_LOSS": "A fault at Google that lost data: it is sent again.",
        "UNIMPLEMENTED":
            "Google does not know this call: does FCM_URL point to another service?",
        "FAILED_PRECONDITION":
            "The Firebase project is not ready to send: look at its state and billing in the console.",
        "OUT_OF_RANGE": "Google refuses a value of the message: see the attempt, and report it.",
        "ALREADY_EXISTS": "Google has this already: see the attempt, and report it.",
        "ABORTED": "Google gave up for another request's sake: see the attempt.",
        "CANCELLED": "The request was given up on the way: look at the proxies between.",
    ]

    /// Errors of OAuth, from the endpoint for access tokens
    /// (https://datatracker.ietf.org/doc/html/rfc6749#section-5.2).
    static let tokenRequest = [
        "invalid_grant":
            "Google refuses the service account: it was removed, its key revoked, or this "
            + "machine's clock is wrong.",
        "invalid_client": "Google does not know the service account: was it deleted?",
        "unauthorized_client": "The service account may not ask for this scope.",
        "invalid_scope": "Google refuses the scope of the access token.",
        "invalid_request": "Google cannot read the request for an access token.",
        "unsupported_grant_type":
            "The token address does not know service accounts: take the service account's file anew "
            + "from the Google Cloud console.",
        "access_denied": "Google's policies refuse the service account: ask the project's owner.",
        "no_access_token":
            "Google answered without an access token, as it does for a scope that it does not know: "
            + "is token_uri of the service account Google's own?",
    ]
}
