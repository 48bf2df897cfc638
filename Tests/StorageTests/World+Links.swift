import Alerts
import Cryptography
import Postgres
import Storage
import Values

/// Somebody who was invited and has not come.
struct Invited: Sendable {
    let user: UserID
    let email: String
    let link: [UInt8]
}

extension World {
    /// Invites an address that nobody has a password for yet.
    ///
    /// - Parameter by: who makes the link; nil for the command line.
    func invite(
        _ name: String, to shop: Shop, role: Role = .staff, by maker: Person? = nil
    ) async throws -> Invited {
        try await invite(
            email: "\(name)-\(UUID.v7())@example.com", to: shop, role: role,
            by: (maker ?? shop.owner).credential)
    }

    /// - Parameter by: whose token; nil for the command line.
    func invite(
        email: String, to shop: Shop, role: Role = .staff, by credential: Entry.Credential?
    ) async throws -> Invited {
        let terms = LinkTerms(hash: SecureRandom.bytes(32), life: .seconds(600))
        let member = NewMember(email: email, role: role)
        let added =
            if let credential {
                try await run(credential) { transaction in
                    try Members.add(
                        shop.id, member, newUser: UserID(.v7()), invite: terms, in: transaction)
                }
            } else {
                try await run(as: .operator) { transaction in
                    try Provisioning.addMember(
                        shop.id, member, newUser: UserID(.v7()), invite: terms, in: transaction)
                }
            }
        guard let added, added.inviteExpiresAt != nil else { throw WorldError.notInvited(email) }
        return Invited(user: added.user, email: email, link: terms.hash)
    }

    /// Takes a link and sets a password; nil when it may not be taken.
    func take(_ link: [UInt8], password: String = "p") async throws -> Person? {
        let tokens = Self.tokens()
        let opened = try await run(as: .api) { transaction in
            try Links.take(
                hash: link, name: nil, passwordHash: password, network: "n",
                session: SessionID(.v7()), deviceName: nil, tokens: tokens, in: transaction)
        }
        return opened.map {
            Person(
                id: $0.user, email: "", session: $0.id, refresh: tokens.refreshHash,
                access: tokens.accessHash)
        }
    }

    /// The stores that somebody belongs to, an invite that waits being none.
    func joined(_ user: UserID) async throws -> Set<StoreID> {
        Set(
            try await rows(
                "select store_id from sineta.members where user_id = $1 and joined_at is not null",
                .id(user)
            ).map { try $0.id(0) })
    }

    /// The stores that a token opens.
    func opened(by credential: Entry.Credential) async throws -> Set<StoreID> {
        try await run(credential) { transaction in
            guard case .entered(let caller) = try Entry.answer(of: transaction.preamble),
                case .person(let person) = caller
            else { return [] }
            return Set(person.memberships.map(\.store))
        }
    }
}
