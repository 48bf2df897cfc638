/// What a provider's answer means for the push and its device.
public enum ProviderOutcome: Sendable, Equatable {
    /// Handed over; the provider's own id of the message.
    case accepted(messageID: String?)
    /// The token is no longer one of ours.
    case unregistered(ProviderWord, device: DeviceFate)
    /// A server fault, no answer or none of the provider's own: again later.
    case retry(ProviderWord, notBefore: ProviderWait?)
    /// Too fast: again later.
    case throttled(ProviderWord, notBefore: ProviderWait?)
    /// Ours to mend: every push of these credentials would be refused. A remedy is tried once.
    case credentialsRefused(ProviderWord, remedy: Remedy?)
    /// Refused for this one device's platform, while others pass.
    case targetRefused(ProviderWord)
    /// This request was wrong: a payload, a header, an address.
    case requestRefused(ProviderWord)

    /// Whether the device goes with its token.
    public enum DeviceFate: Sendable, Equatable {
        /// It goes: its token is of no more use.
        case delete
        /// It stays, since so many refusals in a row point to a fault of ours (`MismatchGuard`).
        case keep
    }

    /// What may turn a refusal of credentials into an acceptance, worth one repeat.
    public enum Remedy: Sendable, Equatable {
        /// A connection that was not bound to another key.
        case newConnection
        /// A new token, and a new connection since the old one stays wedged.
        case newTokenAndConnection
        /// A new access token.
        case newToken
    }
}

/// A provider's own word for what happened, kept as it came.
public struct ProviderWord: Sendable, Equatable {
    /// The HTTP status; 0 when there was no answer.
    public let status: Int
    /// The provider's reason, or ours in lower case where it gave none.
    public let reason: String

    /// Takes the reason as it is, neither checked nor cut.
    public init(status: Int, reason: String) {
        self.status = status
        self.reason = reason
    }

    /// Reasons come from outside and go into rows, metrics and log lines: bounded, and in the
    /// alphabet of reasons.
    static func safe(_ reason: String) -> String? {
        guard (1...64).contains(reason.utf8.count),
            reason.utf8.allSatisfy({ byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || byte == UInt8(ascii: "_")
            })
        else { return nil }
        return reason
    }
}

extension ProviderOutcome {
    /// A request that got no answer: a timeout, a broken connection.
    public static func noAnswer(_ word: String) -> ProviderOutcome {
        .retry(ProviderWord(status: 0, reason: word), notBefore: nil)
    }

    /// An answer without a word of the provider: a proxy's page, or nothing. Whatever its status,
    /// it says nothing of credentials, token or request, so nothing is paused, deleted or given up
    /// for it. Only "too fast" is heard from anybody.
    static func notOfTheProvider(status: Int, wait: ProviderWait?) -> ProviderOutcome {
        let word = ProviderWord(status: status, reason: "http_\(status)")
        return status == 429
            ? .throttled(word, notBefore: wait) : .retry(word, notBefore: wait)
    }

    /// What the provider said; nil for an acceptance.
    public var word: ProviderWord? {
        switch self {
        case .accepted: nil
        case .unregistered(let word, _), .retry(let word, _), .throttled(let word, _),
            .credentialsRefused(let word, _), .targetRefused(let word), .requestRefused(let word):
            word
        }
    }

    /// A fault of the provider or of the way to it, which a breaker counts.
    public var isFailure: Bool {
        if case .retry = self { true } else { false }
    }

    /// Whether this says that token and credentials do not belong together, which a wrong topic,
    /// key or project would say of every device.
    public var isMismatch: Bool {
        guard case .unregistered(let word, _) = self else { return false }
        return ["BadDeviceToken", "DeviceTokenNotForTopic", "SENDER_ID_MISMATCH"]
            .contains(word.reason)
    }

    /// The same answer with the device kept.
    public var keepingDevice: ProviderOutcome {
        if case .unregistered(let word, _) = self {
            .unregistered(word, device: .keep)
        } else {
            self
        }
    }
}
