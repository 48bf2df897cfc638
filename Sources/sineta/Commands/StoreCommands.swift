import API
import Alerts
import Cryptography
import JSON
import Runtime
import Storage
import Values

extension Command {
    static let storeCreate = Command(
        name: "store create", summary: "makes a store with its first owner",
        discussion: """
            It prints the store's id, and for an owner who is not known yet the token of an invite, once.
            """,
        operands: [
            Operand(name: "NAME", help: "as the alerts show it"),
            Operand(name: "OWNER", help: "the owner's e-mail address"),
        ],
        options: [
            Option(name: "--time-zone", value: "ZONE", help: "(default: America/Sao_Paulo)"),
            Option(name: "--locale", value: "TAG", help: "(default: pt-BR)"),
            Option(name: "--currency", value: "CODE", help: "(default: BRL)"),
        ],
        run: { invocation in
            let store = try newStore(invocation)
            let email = try Provision.newEmail(invocation.operands[1], "OWNER")
            let provision = try Provision(invocation)
            let invite = Tokens.link.make().reveal()
            let terms = LinkTerms(
                hash: try provision.tokens().hash(invite), life: LinkTerms.inviteLife)
            let owner = try await provision.run { transaction in
                guard try Stores.isTimeZone(store.timeZone, in: transaction) else {
                    throw CommandFault(
                        .usage, "--time-zone must be of the IANA database, as America/Sao_Paulo")
                }
                let owner = try Provisioning.createStore(
                    store, ownerEmail: email, newUser: UserID(.v7()),
                    invite: terms, in: transaction)
                try Provision.note(
                    "store.created", of: store.id, in: store.id,
                    after: ["name": .text(store.name), "owner": .text(owner.user.description)],
                    transaction)
                return owner
            }
            Terminal.line("\(store.id)")
            if let until = owner.inviteExpiresAt {
                Terminal.line("invite of \(owner.email): \(invite) (until \(until))")
            }
            return .done
        })

    private static func newStore(_ invocation: Invocation) throws -> NewStore {
        let currency = invocation.value("--currency") ?? "BRL"
        guard Money.isCurrency(currency) else {
            throw CommandFault(.usage, "--currency must be three capital letters, as BRL")
        }
        return NewStore(
            id: StoreID(.v7()),
            name: try Provision.newName(invocation.operands[0], .storeName),
            timeZone: invocation.value("--time-zone") ?? "America/Sao_Paulo",
            locale: try Provision.newLocale(invocation.value("--locale") ?? "pt-BR"),
            currency: currency)
    }

    static let tokenCreate = Command(
        name: "token create", summary: "makes an API token for a store's backend",
        discussion: "It prints the token, once.",
        operands: [
            Operand(name: "STORE", help: "the store's id"),
            Operand(name: "NAME", help: "what it is for"),
        ],
        run: { invocation in
            guard let store = StoreID(invocation.operands[0]) else {
                throw CommandFault(.usage, "STORE must be a UUID, as sineta store create prints it")
            }
            let name = try Provision.newName(invocation.operands[1], .tokenName)
            let provision = try Provision(invocation)
            let token = Tokens.store.make().reveal()
            let hash = try provision.tokens().hash(token)
            let id = APITokenID(.v7())
            let made = try await provision.run { transaction in
                let made = try Provisioning.createAPIToken(
                    store, id: id, name: name,
                    prefix: TokenFormat.shown(of: token), hash: hash, in: transaction)
                if made {
                    try Provision.note(
                        "api_token.created", of: id, in: store,
                        after: ["name": .text(name)], transaction)
                }
                return made
            }
            guard made else { throw CommandFault(.failed, "there is no store \(store)") }
            Terminal.line(token)
            return .done
        })
}
