public import Values

/// Reads an answer of FCM HTTP v1.
///
/// https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode
public enum FCMOutcome {
    /// The wait after 429 without `Retry-After`.
    static let quotaWait = Duration.seconds(60)
    /// The least wait after 500 and 503.
    static let faultWait = Duration.seconds(10)

    /// - Parameters:
    ///   - header: the value of a header by its lower-case name
    ///   - countedBytes: our message's size as FCM counts it; a token is not blamed for a large one
    ///   - now: for a `Retry-After` that is a date
    public static func classify(
        status: Int, header: (String) -> String?, body: [UInt8], countedBytes: Int,
        limit: Int = 4096, now: Timestamp
    ) -> ProviderOutcome {
        let answer = FCMAnswer(body)
        if status == 200, let name = answer.name { return .accepted(messageID: name) }
        let wait = header("retry-after").flatMap { RetryAfter.wait($0, now: now) }
        if let code = answer.errorCode,
            let outcome = byCode(
                code, answer, status, wait: wait, isSmall: countedBytes <= limit)
        {
            return outcome
        }
        guard answer.isOwn else {
            return .notOfTheProvider(
                status: status, wait: status == 429 ? afterQuota(wait) : afterFault(wait))
        }
        return byStatus(status, answer, wait: wait, isSmall: countedBytes <= limit)
    }

    /// What FCM's own code says; nil for a code that is not known.
    private static func byCode(
        _ code: String, _ answer: FCMAnswer, _ status: Int, wait: Duration?, isSmall: Bool
    ) -> ProviderOutcome? {
        let word = ProviderWord(status: status, reason: code)
        switch code {
        case "UNREGISTERED", "SENDER_ID_MISMATCH": return .unregistered(word, device: .delete)
        case "THIRD_PARTY_AUTH_ERROR", "APNS_AUTH_ERROR":
            return .targetRefused(answer.apnsReason.map { word.with($0) } ?? word)
        case "INVALID_ARGUMENT": return invalidArgument(word, answer, isSmall: isSmall)
        case "QUOTA_EXCEEDED": return .throttled(word, notBefore: afterQuota(wait))
        case "UNAVAILABLE", "INTERNAL":
            return .retry(word, notBefore: afterFault(wait))
        case "UNSPECIFIED_ERROR": return .requestRefused(word)
        default: return nil
        }
    }

    /// A dead token only when the blame is on the token and our message is not too large: never
    /// delete a device on a doubtful answer.
    private static func invalidArgument(
        _ word: ProviderWord, _ answer: FCMAnswer, isSmall: Bool
    ) -> ProviderOutcome {
        let saysSo =
            answer.blamesToken || answer.apnsSaysDead
            || (answer.violations.isEmpty && answer.errorCode != nil && answer.speaksOfToken)
        return saysSo && isSmall && !answer.speaksOfSize
            ? .unregistered(word, device: .delete) : .requestRefused(word)
    }

    /// What the status says where FCM's own code is missing or new.
    private static func byStatus(
        _ status: Int, _ answer: FCMAnswer, wait: Duration?, isSmall: Bool
    ) -> ProviderOutcome {
        let word = ProviderWord(
            status: status, reason: answer.errorCode ?? answer.status ?? "http_\(status)")
        switch status {
        case 400: return invalidArgument(word, answer, isSmall: isSmall)
        case 401 where answer.apnsReason != nil:
            return .targetRefused(answer.apnsReason.map { word.with($0) } ?? word)
        case 401: return .credentialsRefused(word, remedy: .newToken)
        case 403, 404:
            return answer.errorCode == nil
                ? .credentialsRefused(word, remedy: nil) : .requestRefused(word)
        case 429: return .throttled(word, notBefore: afterQuota(wait))
        case 400..<500: return .requestRefused(word)
        default: return .retry(word, notBefore: afterFault(wait))
        }
    }

    private static func afterQuota(_ asked: Duration?) -> ProviderWait {
        asked.map { .asked($0) } ?? .atLeast(quotaWait)
    }

    private static func afterFault(_ asked: Duration?) -> ProviderWait {
        .atLeast(faultWait, asked: asked)
    }
}

extension ProviderWord {
    /// The same answer with the reason that APNs gave FCM behind FCM's own.
    fileprivate func with(_ apnsReason: String) -> ProviderWord {
        ProviderWord(status: status, reason: "\(reason)_\(apnsReason)")
    }
}
