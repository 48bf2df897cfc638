import CArgon2
import Runtime
public import Values

/// How dear a password hash is (RFC 9106; OWASP's least: 19 MiB and two passes).
public struct PasswordCost: Sendable, Equatable {
    /// Memory that one hash takes.
    public let kibibytes: UInt32
    /// Passes over it; there is one lane.
    public let passes: UInt32

    /// Checks nothing: the library refuses what is too little for it when it hashes.
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
    fileprivate let cost: PasswordCost
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

    /// Runs `body` with a place in the line, which it keeps until it ends: whoever has to ask a
    /// database before there is something to hash is counted from before it asks.
    ///
    /// - Throws: `PasswordFault.busy` when all are taken; what `body` throws.
    public func withPlace<Result>(
        _ body: (PasswordPlace) async throws -> Result
    ) async throws -> Result {
        try take()
        defer { leave() }
        return try await body(PasswordPlace(hasher: self))
    }

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

    private func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws(PasswordFault) -> Result
    ) async throws(PasswordFault) -> Result {
        try take()
        defer { leave() }
        return try await work(body)
    }

    private func take() throws(PasswordFault) {
        let isTaken = inFlight.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isTaken else { throw .busy }
    }

    private func leave() { inFlight.withLock { $0 -= 1 } }

    fileprivate func work<Result: Sendable>(
        _ body: @escaping @Sendable () throws(PasswordFault) -> Result
    ) async throws(PasswordFault) -> Result {
        try await executor.run { [begins] () throws(PasswordFault) in
            begins()
            return try body()
        }
    }
}

/// A place in a hasher's line, for as long as the body of `withPlace` runs: what it is asked for
/// may wait for a thread, and is never turned away.
public struct PasswordPlace: Sendable {
    fileprivate let hasher: PasswordHasher

    /// As `PasswordHasher.verify`.
    public func verify(
        _ password: Secret<String>, against stored: String
    ) async throws(PasswordFault) -> Bool {
        try await hasher.work { () throws(PasswordFault) in try Argon2.verify(password, stored) }
    }

    /// The work of `verify` for an account that does not exist, so that the time of an answer does
    /// not tell who has one.
    public func hashDummy(_ password: Secret<String>) async throws(PasswordFault) {
        let cost = hasher.cost
        _ = try await hasher.work { () throws(PasswordFault) in try Argon2.hash(password, cost) }
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
