public import Values

/// What a server shows and proves: PEM texts.
public struct HTTP2Identity: Sendable {
    /// Its certificate, then those that lead towards the authority.
    public let certificate: String
    /// Of the first certificate; one that does not fit it is refused when the server starts.
    public let key: Secret<String>

    public init(certificate: String, key: Secret<String>) {
        self.certificate = certificate
        self.key = key
    }
}
