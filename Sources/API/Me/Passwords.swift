import Alerts
import Cryptography
import Values

/// What a new password must be: 10 characters at least, 1 KiB at most.
enum Passwords {
    static func new(_ body: Body, _ name: String) throws(Problem) -> Secret<String> {
        let text = try body.text(name)
        guard text.utf8.count <= 1024 else {
            throw Problem.invalid("/\(name)", .length, "must have at most 1024 bytes")
        }
        return Secret(text)
    }

    static let busy = Problem(
        .unavailable, "Too many passwords are being checked at this moment.")

    /// Does hash work; too much of it waiting is answered 503.
    static func work<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch PasswordFault.busy {
            throw busy
        }
    }
}
