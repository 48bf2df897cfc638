/// What to do about a reason of a provider's or of ours, in words for an operator.
public enum ProviderAdvice {
    /// Advice for a reason as it is kept with an attempt, a dead letter or a lane; nil when nobody
    /// documented it.
    public static func words(for reason: String) -> String? {
        apns[reason] ?? fcm[reason] ?? ours[reason] ?? firebaseAtApple(reason)
            ?? ofTokenRequest(reason) ?? ofStatement(reason) ?? withoutWord(reason)
    }

    /// The same, with something to do for every reason.
    public static func sentence(for reason: String) -> String {
        words(for: reason)
            ?? "Nobody documented this reason here: look it up at the provider, and see the log."
    }

    /// What Apple told Firebase, behind FCM's own code. The key in question is the one that is kept
    /// in the Firebase project, not one of ours.
    private static func firebaseAtApple(_ reason: String) -> String? {
        let code = ["THIRD_PARTY_AUTH_ERROR_", "APNS_AUTH_ERROR_", "UNAUTHENTICATED_"]
            .first { reason.hasPrefix($0) }
        guard let code else { return nil }
        let word = String(reason.dropFirst(code.count))
        return "Apple refuses Firebase's push with \(word): "
            + (keyOfFirebase[word]
                ?? "upload the APNs key anew in the Firebase project, under Cloud Messaging.")
    }

    /// What the endpoint for access tokens said, or why it said nothing.
    private static func ofTokenRequest(_ reason: String) -> String? {
        guard reason.hasPrefix("token_") else { return nil }
        let word = String(reason.dropFirst(6))
        return tokenRequest[word] ?? ours[word] ?? withoutWord(word)
    }

    /// `decide_57014`: a job of the house itself failed with this code of the database.
    private static func ofStatement(_ reason: String) -> String? {
        let work = ["decide_": "Deciding an alert", "apply_": "Taking in an event of sineta.emit"]
            .first { reason.hasPrefix($0.key) && reason.count > $0.key.count }
        return work.map {
            "\($0.value) failed at every attempt; the rest of the reason is the database's code. "
                + "See the workers' log at these times, mend the cause, then retry it."
        }
    }

    /// `http_403`: a status without a word of the provider.
    private static func withoutWord(_ reason: String) -> String? {
        guard reason.hasPrefix("http_"), Int(reason.dropFirst(5)) != nil else { return nil }
        return
            "The answer has no word of Apple or Google: something between answers in their place. "
            + "Check proxy and firewall on the way to port 443."
    }
}
