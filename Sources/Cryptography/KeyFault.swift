/// Why a text is not the private key that was wanted. It tells what the text is, never what is in
/// it.
public enum KeyFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// No `-----BEGIN … PRIVATE KEY-----` line at all.
    case noKey
    /// It begins as a key and has no END line.
    case cutOff
    /// There is something between the lines that no key consists of.
    case damaged
    /// It wants a passphrase, and none is ever asked for.
    case encrypted
    case publicKey
    case certificate
    /// Well-formed outside, and the library finds no key inside.
    case unreadable
    /// A private key that reads well, and is of another kind.
    case wrongKind(wanted: KeyKind, found: KeyKind)
    /// An RSA key too short to be accepted by anybody.
    case tooShort(bits: Int)

    public var description: String {
        switch self {
        case .noKey: "is not a private key in PEM form: it has no BEGIN PRIVATE KEY line"
        case .cutOff: "is cut off: it has no END PRIVATE KEY line"
        case .damaged: "is damaged: between its BEGIN and END lines stands what is not base64"
        case .encrypted: "is encrypted with a passphrase: give the key without one"
        case .publicKey: "is a public key: the private key is wanted"
        case .certificate: "is a certificate: the private key is wanted"
        case .unreadable: "is damaged: no private key can be read from it"
        case .wrongKind(let wanted, let found): "is \(words(found)): \(words(wanted)) is wanted"
        case .tooShort(let bits): "is an RSA key of \(bits) bits: at least 2048 are wanted"
        }
    }

    private func words(_ kind: KeyKind) -> String {
        switch kind {
        case .p256: "an elliptic-curve key on P-256"
        case .rsa: "an RSA key"
        case .otherCurve: "an elliptic-curve key on another curve than P-256"
        case .other: "a key of another kind"
        }
    }
}
