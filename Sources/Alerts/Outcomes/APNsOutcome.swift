import JSON
public import Values

/// Reads an answer of APNs.
///
/// https://developer.apple.com/documentation/usernotifications/handling-notification-responses-from-apns
public enum APNsOutcome {
    /// - Parameters:
    ///   - header: the value of a header by its lower-case name
    ///   - registeredAt: when the device registered last; a 410 that is older keeps it
    ///   - now: for a `Retry-After` that is a date
    public static func classify(
        status: Int, header: (String) -> String?, body: [UInt8], registeredAt: Timestamp,
        now: Timestamp
    ) -> ProviderOutcome {
        let id = header("apns-id")
        // Every acceptance has an empty body: it is not parsed.
        if status == 200, id != nil || body.isEmpty { return .accepted(messageID: id) }
        let answer = Answer(body)
        if status == 200, answer.isJSON { return .accepted(messageID: id) }
        let wait = header("retry-after").flatMap { RetryAfter.wait($0, now: now) }
            .map { ProviderWait.asked($0) }
        guard let reason = answer.reason else {
            return .notOfTheProvider(status: status, wait: wait)
        }
        let word = ProviderWord(status: status, reason: reason)
        switch status {
        case 400: return badRequest(word)
        case 403: return .credentialsRefused(word, remedy: remedy(word.reason))
        case 410: return gone(word, answer.timestamp, registeredAt)
        case 429 where word.reason == "TooManyProviderTokenUpdates":
            return .credentialsRefused(word, remedy: nil)
        case 429: return .throttled(word, notBefore: wait)
        case 400..<500: return .requestRefused(word)
        default: return .retry(word, notBefore: wait)
        }
    }

    private static func badRequest(_ word: ProviderWord) -> ProviderOutcome {
        switch word.reason {
        case "BadDeviceToken", "DeviceTokenNotForTopic": .unregistered(word, device: .delete)
        case "TopicDisallowed": .credentialsRefused(word, remedy: nil)
        default: .requestRefused(word)
        }
    }

    private static func remedy(_ reason: String) -> ProviderOutcome.Remedy? {
        switch reason {
        case "ExpiredProviderToken": .newTokenAndConnection
        case "UnrelatedKeyIdInToken": .newConnection
        default: nil
        }
    }

    /// A 410 with a word that nobody documented says nothing of the token: the device stays.
    private static func gone(
        _ word: ProviderWord, _ timestamp: Timestamp?, _ registeredAt: Timestamp
    ) -> ProviderOutcome {
        switch word.reason {
        case "Unregistered", "ExpiredToken":
            let isOld = timestamp.map { $0 < registeredAt } ?? false
            return .unregistered(word, device: isOld ? .keep : .delete)
        default: return .requestRefused(word)
        }
    }

    /// The body of a refusal.
    private struct Answer {
        let isJSON: Bool
        let reason: String?
        let timestamp: Timestamp?

        init(_ body: [UInt8]) {
            let value = try? JSONValue.parse(body)
            isJSON = value != nil
            reason = value?["reason"]?.text.flatMap(ProviderWord.safe).map(Self.spelled)
            timestamp = value?["timestamp"]?.integer.flatMap(Self.time)
        }

        /// One reason is documented in one spelling and sent in another.
        private static func spelled(_ reason: String) -> String {
            reason == "BadEnvironmentKeyIdInToken" ? "BadEnvironmentKeyInToken" : reason
        }

        /// Milliseconds; a number too large to be a time is none.
        private static func time(_ milliseconds: Int64) -> Timestamp? {
            let (microseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
            return overflow ? nil : Timestamp(microseconds: microseconds)
        }
    }
}
