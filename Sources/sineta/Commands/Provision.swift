import API
import Alerts
import Cryptography
import JSON
import Postgres
import Runtime
import Storage
import Values

/// What `user`, `store` and `token` stand on: the database as the operator role. Without a
/// DATABASE_URL they work on the home's own database and secret.
struct Provision: Sendable {
    private let configuration: Configuration
    private let database: OperatorDatabase

    init(_ invocation: Invocation) throws {
        configuration = try Configuration(invocation.environment)
        database = try OperatorDatabase(configuration)
    }

    /// The hash under which tokens are kept, for those commands that make one.
    ///
    /// - Throws: `ConfigurationFaults` without the secret of this very database.
    func tokens() throws -> Tokens {
        Tokens(secret: try HomeSecret.required(configuration))
    }

    /// Runs `body` as the operator role, in one transaction.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable (PostgresTransaction) throws -> Result
    ) async throws -> Result {
        try await database.run(body)
    }

    /// Finds a person by address, whose case does not count.
    static func user(
        _ email: String, _ transaction: PostgresTransaction
    ) throws -> Provisioning.KnownUser {
        guard let user = try Provisioning.user(email: email.lowercased(), in: transaction) else {
            throw CommandFault(.failed, "there is nobody with the address \(email)")
        }
        return user
    }

    /// An address that somebody is given, held to what the API holds it to.
    static func newEmail(_ text: String, _ operand: String) throws(CommandFault) -> String {
        guard let email = MailAddress.normal(text) else {
            throw CommandFault(.usage, "\(operand) must be an e-mail address, as ana@example.com")
        }
        return email
    }

    /// What somebody or something is called, held to what the API holds it to.
    static func newName(_ text: String, _ kind: GivenText) throws(CommandFault) -> String {
        if let fault = kind.fault(in: text) { throw CommandFault(.usage, "NAME \(fault)") }
        return text
    }

    /// A language that somebody is given, in its normal form.
    static func newLocale(_ text: String) throws(CommandFault) -> String {
        guard let tag = LanguageTag(text) else {
            throw CommandFault(.usage, "--locale must be a language tag, as pt-BR")
        }
        return tag.text
    }

    /// Notes a privileged act in its own transaction. Whoever has this command line is not known by
    /// name.
    static func note(
        _ act: String, of subject: some CustomStringConvertible, in store: StoreID = Audit.noStore,
        after: JSONValue? = nil, _ transaction: PostgresTransaction
    ) throws {
        try Audit.write(
            store, actor: "cli", act: act, subject: subject.description, after: after,
            in: transaction)
    }
}
