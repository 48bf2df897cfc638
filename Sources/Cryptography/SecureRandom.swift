import COpenSSL

/// Random bytes fit for keys and tokens.
public enum SecureRandom {
    /// So many of them. Stops the process when the system has none to give.
    public static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = RAND_bytes(&bytes, Int32(count))
        // A process that cannot get randomness must not go on to make secrets.
        precondition(result == 1, "the system gives no random bytes")
        return bytes
    }
}
