import JSON

/// How many requests of each kind have arrived.
public struct InboxCounts: Sendable, Equatable {
    /// The requests of one provider's environment.
    public struct Provider: Sendable, Equatable {
        /// However they were answered.
        public var requests = 0
        /// Answered 200.
        public var accepted = 0
        /// By the provider's word.
        public var refused: [String: Int] = [:]
        /// Requests whose connection was made to fail.
        public var unanswered = 0
        /// Accepted requests that repeat an accepted one: same `apns-id`, or the same FCM body.
        public var duplicates = 0
    }

    public var apnsProduction = Provider()
    public var apnsSandbox = Provider()
    public var fcm = Provider()
    /// Requests of the token endpoint.
    public var tokenRequests = 0

    /// Sums over the providers; the token endpoint is none.
    public var requests: Int { apnsProduction.requests + apnsSandbox.requests + fcm.requests }
    public var accepted: Int { apnsProduction.accepted + apnsSandbox.accepted + fcm.accepted }
    public var duplicates: Int {
        apnsProduction.duplicates + apnsSandbox.duplicates + fcm.duplicates
    }

    mutating func count(_ entry: InboxEntry, isDuplicate: Bool) {
        switch (entry.provider, entry.environment) {
        case (.apns, "sandbox"): apnsSandbox.count(entry, isDuplicate)
        case (.apns, _): apnsProduction.count(entry, isDuplicate)
        case (.fcm, _): fcm.count(entry, isDuplicate)
        case (.token, _): tokenRequests += 1
        }
    }

    var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("requests", requests)
        writer.member("accepted", accepted)
        writer.member("duplicates", duplicates)
        writer.member("token_requests", tokenRequests)
        for (name, provider) in [
            ("apns_production", apnsProduction), ("apns_sandbox", apnsSandbox), ("fcm", fcm),
        ] {
            writer.key(name)
            provider.write(to: &writer)
        }
        writer.endObject()
        return writer.bytes
    }
}

extension InboxCounts.Provider {
    fileprivate mutating func count(_ entry: InboxEntry, _ isDuplicate: Bool) {
        requests += 1
        if isDuplicate { duplicates += 1 }
        switch entry.answered {
        case nil: unanswered += 1
        case let answer? where answer.status == 200: accepted += 1
        case let answer?: refused[answer.reason ?? String(answer.status), default: 0] += 1
        }
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("requests", requests)
        writer.member("accepted", accepted)
        writer.member("unanswered", unanswered)
        writer.member("duplicates", duplicates)
        writer.key("refused")
        writer.beginObject()
        for (reason, count) in refused.sorted(by: { $0.key < $1.key }) {
            writer.member(reason, count)
        }
        writer.endObject()
        writer.endObject()
    }
}
