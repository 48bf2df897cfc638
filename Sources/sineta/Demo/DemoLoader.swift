import API
import Alerts
import Cryptography
import Postgres
import Runtime
import Storage
import Values

/// Puts the seeds into an empty database.
struct DemoLoader: Sendable {
    let seeds: Seeds
    let login: DemoLogin
    let tokens: Tokens
    let pool: PostgresPool

    /// People and stores, all or nothing, with one password for all people.
    ///
    /// - Returns: false when they were there already.
    func load() async throws -> Bool {
        let hasher = PasswordHasher()
        var hashes: [String] = []
        for _ in seeds.people { hashes.append(try await hasher.hash(Secret(login.password))) }
        return try await pool.transaction(
            deadline: .after(.seconds(30)), preamble: Entry.preamble(role: .operator)
        ) { [hashes] transaction in
            for (person, hash) in zip(seeds.people, hashes) {
                let made = try Provisioning.createUser(
                    person.id, email: person.email, name: person.name, locale: person.locale,
                    passwordHash: hash, in: transaction)
                if made == nil { return false }
            }
            for store in seeds.stores { try create(store, transaction) }
            _ = try Provisioning.createAPIToken(
                login.store, id: APITokenID(.v7()), name: "demo",
                prefix: TokenFormat.shown(of: login.apiToken), hash: tokens.hash(login.apiToken),
                in: transaction)
            return true
        }
    }

    private func create(
        _ store: Seeds.Store, _ transaction: PostgresTransaction
    ) throws {
        guard let owner = store.members.first(where: { $0.role == .owner }) else { return }
        // Everybody is known by now, so that no invite is made of these.
        let unused = LinkTerms(hash: SecureRandom.bytes(32), life: .seconds(1))
        _ = try Provisioning.createStore(
            NewStore(
                id: store.id, name: store.name, timeZone: store.timeZone, locale: store.locale,
                currency: store.currency),
            ownerEmail: owner.email, newUser: UserID(.v7()), invite: unused, in: transaction)
        for member in store.members where member.email != owner.email {
            _ = try Provisioning.addMember(
                store.id,
                NewMember(
                    email: member.email, role: member.role, permissions: member.permissions),
                newUser: UserID(.v7()), invite: unused, in: transaction)
        }
    }
}
