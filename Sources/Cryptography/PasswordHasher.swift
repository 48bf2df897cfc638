import CArgon2
import Runtime
public import Values

/// How dear a password hash is (RFC 9106; OWASP's least: 19 MiB and two passes).
public struct PasswordCost: Sendable, Equatable {
    /// Memory that one hash takes.
    public let kibibytes: UInt32
    /// Passes over it; there is one lane.
    public let passes: UInt32

    public init(kibibytes: UInt32, passes: UInt32) {
        self.kibibytes = kibibytes
        self.passes = passes
    }

    /// About 37 ms of one core.
    public static let standard = PasswordCost(kibibytes: 19 * 1024, passes: 2)
}

/// Why a password was neither hashed nor checked.
public enum PasswordFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// So many are waiting that one more would wait for seconds: ask the caller to come back.
    case busy
    /// The library refused, in its own words; a stored hash that is none gives this too.
    case refused(String)

    public var description: String {
        switch self {
        case .busy: "too many password checks are waiting"
        case .refused(let words): "cannot hash a password: \(words)"
        }
    }
}

/// Password hashes by argon2id, in PHC strings (`$argon2id$v=19$m=19456,t=2,p=1$…`), on threads of
/// its own: at most two at once, since each takes 19 MiB and a core for as long as it runs.
public final class PasswordHasher: Sendable {
    private let cost: PasswordCost
    private let limit: Int
    private let executor: BlockingExecutor
    private let inFlight = Lock(0)
    private let begins: @Sendable () -> Void

    /// - Parameter limit: how many may run and wait; one more is told `busy`.
    public convenience init(cost: PasswordCost = .standard, threads: Int = 2, limit: Int = 100) {
        self.init(cost: cost, threads: threads, limit: limit, begins: {})
    }

    /// - Parameter begins: called on the thread that hashes, before each hash; for tests.
    init(
        cost: PasswordCost, threads: Int = 2, limit: Int = 100,
        begins: @escaping @Sendable () -> Void
    ) {
        self.cost = cost
        self.limit = limit
        self.begins = begins
        executor = BlockingExecutor(name: "passwords", threads: threads)
    }

    deinit { executor.close() }

    /// Whether one more would be taken now.
    public var hasRoom: Bool { inFlight.withLock { $0 < limit } }

    /// A hash with a salt of its own, for the database.
    public func hash(_ password: Secret<String>) async throws(PasswordFault) -> String {
        let cost = cost
        return try await run { () throws(PasswordFault) in try Argon2.hash(password, cost) }
    }

    /// Whether the password is the one of `stored`.
    public func verify(
        _ password: Secret<String>, against stored: String
    ) async throws(PasswordFault) -> Bool {
        try await run { () throws(PasswordFault) in try Argon2.verify(password, stored) }
    }

    /// The work of `verify` for an account that does not exist, so that the time of an answer does
    /// not tell who has one.
    public func hashDummy(_ password: Secret<String>) async throws(PasswordFault) {
        _ = try await hash(password)
    }

    private func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws(PasswordFault) -> Result
    ) async throws(PasswordFault) -> Result {
        let isTaken = inFlight.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isTaken else { throw .busy }
        defer { inFlight.withLock { $0 -= 1 } }
        return try await executor.run { [begins] () throws(PasswordFault) in
            begins()
            return try body()
        }
    }
}

/// The blocking calls of libargon2.
private enum Argon2 {
    private static let saltBytes = 16
    private static let hashBytes = 32

    static func hash(
        _ password: Secret<String>, _ cost: PasswordCost
    ) throws(PasswordFault) -> String {
        let password = Array(password.reveal().utf8)
        let salt = SecureRandom.bytes(saltBytes)
        let count = argon2_encodedlen(
            cost.passes, cost.kibibytes, 1, UInt32(saltBytes), UInt32(hashBytes), Argon2_id)
        var encoded = [CChar](repeating: 0, count: count)
        let code = argon2id_hash_encoded(
            cost.passes, cost.kibibytes, 1, password, password.count, salt, saltBytes, hashBytes,
            &encoded, count)
        guard code == ARGON2_OK.rawValue else { throw .refused(words(code)) }
        return String(
            decoding: encoded.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func verify(_ password: Secret<String>, _ stored: String) throws(PasswordFault) -> Bool {
        let password = Array(password.reveal().utf8)
        let code = argon2id_verify(stored, password, password.count)
        if code == ARGON2_OK.rawValue { return true }
        if code == ARGON2_VERIFY_MISMATCH.rawValue { return false }
        throw .refused(words(code))
    }

    private static func words(_ code: Int32) -> String {
        argon2_error_message(code).map { String(cString: $0) } ?? "code \(code)"
    }
}
