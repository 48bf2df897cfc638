/// Where one push stands, in the words of the API.
public enum DeliveryState: String, Sendable, CaseIterable {
    /// Queued, before its first attempt or between two.
    case waiting
    /// Held by a worker.
    case sending
    /// Handed to the provider.
    case accepted
    /// The provider does not know the token any more.
    case rejected
    /// Its time passed before it could go out.
    case expired
    /// What was asked again at sending said no.
    case suppressed
    /// Every attempt failed, or the request or the credentials were refused.
    case dead
}
