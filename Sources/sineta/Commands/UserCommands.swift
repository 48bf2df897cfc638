import API
import Cryptography
import JSON
import Runtime
import Storage
import Values

extension Command {
    private static let email = Operand(name: "EMAIL", help: "the person's address")

    static let userCreate = Command(
        name: "user create", summary: "makes a person who may sign in",
        discussion: "It prints a password, once.",
        operands: [email, Operand(name: "NAME", help: "as it is shown to others")],
        options: [
            Option(name: "--locale", value: "TAG", help: "the person's language, as pt-BR"),
            Option(name: "--operator", help: "may see and mend the whole platform"),
        ],
        run: { invocation in
            let email = try Provision.newEmail(invocation.operands[0], "EMAIL")
            let name = try Provision.newName(invocation.operands[1], .personName)
            let locale = try invocation.value("--locale").map(Provision.newLocale)
            let provision = try Provision(invocation)
            let password = Base62.encode(SecureRandom.bytes(15), width: 21)
            let hash = try await PasswordHasher().hash(Secret(password))
            try await provision.run { transaction in
                let made = try Provisioning.createUser(
                    UserID(.v7()), email: email, name: name,
                    locale: locale, passwordHash: hash, in: transaction)
                guard let made else {
                    throw CommandFault(.failed, "there is somebody with the address \(email)")
                }
                if invocation.has("--operator") {
                    _ = try Provisioning.setOperator(made, true, in: transaction)
                }
                try Provision.note(
                    "user.created", of: made,
                    after: [
                        "email": .text(email), "operator": .bool(invocation.has("--operator")),
                    ],
                    transaction)
            }
            Terminal.line("password of \(email): \(password)")
            return .done
        })

    static let userOperator = Command(
        name: "user operator", summary: "lets a person see and mend the whole platform",
        operands: [email],
        options: [Option(name: "--revoke", help: "take it back")],
        run: { invocation in
            try await Provision(invocation).run { transaction in
                let user = try Provision.user(invocation.operands[0], transaction)
                let isOperator = !invocation.has("--revoke")
                _ = try Provisioning.setOperator(user.id, isOperator, in: transaction)
                try Provision.note(
                    "user.changed", of: user.id, after: ["operator": .bool(isOperator)],
                    transaction)
            }
            return .done
        })

    static let userDisable = Command(
        name: "user disable", summary: "shuts a person out and ends their sessions",
        operands: [email],
        options: [Option(name: "--enable", help: "let them in again")],
        run: { invocation in
            try await Provision(invocation).run { transaction in
                let user = try Provision.user(invocation.operands[0], transaction)
                let isDisabled = !invocation.has("--enable")
                _ = try Provisioning.setDisabled(user.id, isDisabled, in: transaction)
                try Provision.note(
                    "user.changed", of: user.id, after: ["disabled": .bool(isDisabled)],
                    transaction)
            }
            return .done
        })

    static let userReset = Command(
        name: "user reset", summary: "makes a link by which a person sets a new password",
        discussion: """
            It prints the token of the link, once. The app gives it to POST /v1/auth/accept-invite within
            24 hours.
            """,
        operands: [email],
        run: { invocation in
            let provision = try Provision(invocation)
            let link = Tokens.link.make().reveal()
            let terms = LinkTerms(
                hash: try provision.tokens().hash(link), life: LinkTerms.resetLife)
            let until = try await provision.run { transaction in
                let user = try Provision.user(invocation.operands[0], transaction)
                try Provision.note("user.reset", of: user.id, transaction)
                return try Provisioning.reset(user.id, link: terms, in: transaction)
            }
            Terminal.line("\(link) (until \(until.map { "\($0)" } ?? "it is used"))")
            return .done
        })
}
