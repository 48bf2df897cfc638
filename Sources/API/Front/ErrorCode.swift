/// Every word that can stand as `code` in a problem: a closed table, since clients branch on it.
public enum ErrorCode: String, Sendable, CaseIterable {
    case invalidJSON = "invalid_json"
    case duplicateKey = "duplicate_key"
    case unauthenticated
    case sessionEnded = "session_ended"
    case refreshTokenReused = "refresh_token_reused"
    case forbidden
    case sessionRequired = "session_required"
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case conflict
    case lastOwner = "last_owner"
    case inProgress = "in_progress"
    case oneTimeSecret = "one_time_secret"
    case deviceInactive = "device_inactive"
    case pushTokenInvalid = "push_token_invalid"
    case preconditionFailed = "precondition_failed"
    case bodyTooLarge = "body_too_large"
    case unsupportedMediaType = "unsupported_media_type"
    case validationFailed = "validation_failed"
    case idempotencyMismatch = "idempotency_mismatch"
    case invalidCursor = "invalid_cursor"
    case lockedByPolicy = "locked_by_policy"
    case eventNotAvailable = "event_not_available"
    case rateLimited = "rate_limited"
    case pushProviderError = "push_provider_error"
    case pushNotConfigured = "push_not_configured"
    case unavailable

    public var status: Int {
        switch self {
        case .invalidJSON, .duplicateKey: 400
        case .unauthenticated, .sessionEnded, .refreshTokenReused: 401
        case .forbidden, .sessionRequired: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .conflict, .lastOwner, .inProgress, .oneTimeSecret, .deviceInactive: 409
        case .pushTokenInvalid: 410
        case .preconditionFailed: 412
        case .bodyTooLarge: 413
        case .unsupportedMediaType: 415
        case .validationFailed, .idempotencyMismatch, .invalidCursor, .lockedByPolicy,
            .eventNotAvailable:
            422
        case .rateLimited: 429
        case .pushProviderError: 502
        case .pushNotConfigured, .unavailable: 503
        }
    }

    /// The same for every occurrence (RFC 9457 section 3.1.3).
    public var title: String {
        switch self {
        case .invalidJSON: "The body is not JSON"
        case .duplicateKey: "The body has a key twice"
        case .unauthenticated: "Not signed in"
        case .sessionEnded: "The session has ended"
        case .refreshTokenReused: "The refresh token was used before"
        case .forbidden: "Not allowed"
        case .sessionRequired: "A person has to sign in for this"
        case .notFound: "Not found"
        case .methodNotAllowed: "Method not allowed"
        case .conflict: "In conflict with what is there"
        case .lastOwner: "The store would have no owner"
        case .inProgress: "The same request is still running"
        case .oneTimeSecret: "The answer held a secret and is not kept"
        case .deviceInactive: "The device's session has ended"
        case .pushTokenInvalid: "The push token is no longer valid"
        case .preconditionFailed: "It has changed since it was read"
        case .bodyTooLarge: "The body is too large"
        case .unsupportedMediaType: "The body must be JSON"
        case .validationFailed: "Some fields are not valid"
        case .idempotencyMismatch: "The key was used for another request"
        case .invalidCursor: "The cursor is not valid"
        case .lockedByPolicy: "The store requires it"
        case .eventNotAvailable: "The event is not available to the member"
        case .rateLimited: "Too many requests"
        case .pushProviderError: "The push provider refused or failed"
        case .pushNotConfigured: "No push provider is configured"
        case .unavailable: "Temporarily unavailable"
        }
    }

    /// What to do, when the place that raises it has nothing to add.
    var detail: String {
        switch self {
        case .invalidJSON: "Send one JSON value in UTF-8."
        case .duplicateKey: "Send each key of an object once."
        case .unauthenticated: "Send a valid token as `Authorization: Bearer …`."
        case .sessionEnded, .refreshTokenReused: "Sign in again."
        case .forbidden: "The caller may not do this."
        case .sessionRequired: "Send a person's access token; a store API token may not do this."
        case .notFound: "There is no such thing, or it is not yours."
        case .methodNotAllowed: "Use a method that `Allow` names."
        case .conflict: "Read what is there, and decide anew."
        case .lastOwner: "Make another member owner first."
        case .inProgress, .rateLimited, .unavailable: "Try again after the time in Retry-After."
        case .oneTimeSecret:
            "The first request took effect. If its secret is lost, remove what it made and ask again "
                + "with another Idempotency-Key."
        case .deviceInactive: "Sign in on the device again and register it."
        case .pushTokenInvalid: "The device is removed. Register it when its app has a new token."
        case .preconditionFailed: "Read it again, and send its new ETag as If-Match."
        case .bodyTooLarge: "Send less at once."
        case .unsupportedMediaType: "Send `Content-Type: application/json`."
        case .validationFailed: "See `errors`."
        case .idempotencyMismatch: "Send the first body again, or another Idempotency-Key."
        case .invalidCursor: "Begin again without `after`."
        case .lockedByPolicy: "Leave on what `errors` names, or change the store's policy first."
        case .eventNotAvailable:
            "Leave out what `errors` names, or give the member the permission for it first."
        case .pushProviderError:
            "`error` is the provider's reason; `sineta doctor` says what to do about it."
        case .pushNotConfigured:
            "Give the API the credentials of the device's provider, and start it again."
        }
    }
}
