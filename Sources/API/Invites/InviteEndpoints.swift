import Cryptography
import JSON
import Storage
import Values

/// Links that were made for somebody: to join, or to set a new password.
enum InviteEndpoints {
    static func endpoints(_ services: Services, _ parts: Parts) -> [Endpoint] {
        [accept(services, parts)]
    }

    /// The costly hash waits until the link is known to be good, and is made between two
    /// transactions. Who gives the password that they have keeps it, and loses no other store.
    private static func accept(_ services: Services, _ parts: Parts) -> Endpoint {
        Endpoint(
            .post, "/v1/auth/accept-invite",
            "Takes an invite or a reset once: sets the password, joins the invite's store, signs in.",
            access: .anyone,
            body: .object(
                .required("token", SessionShapes.token),
                .optional("name", .nullable(GivenText.personName.shape)),
                .required("password", SessionShapes.newPassword),
                .optional("device_name", SessionShapes.deviceName)),
            responses: [Response(200, "Signed in.", SessionShapes.signedIn)],
            codes: [.notFound, .unavailable]
        ) { call in
            let token = try call.body.text("token")
            let password = try Passwords.new(call.body, "password")
            // A wrong checksum costs no query.
            guard Tokens.link.check(token) else { throw Problem(.notFound) }
            let hash = services.tokens.hash(token)
            let target = try await call.withoutCaller { transaction in
                try Links.find(hash: hash, in: transaction)
            }
            guard let target else { throw Problem(.notFound) }
            let passwordHash = try await Passwords.work { () async throws(PasswordFault) in
                if let known = target.passwordHash,
                    try await parts.hasher.verify(password, against: known)
                {
                    return known
                }
                return try await parts.hasher.hash(password)
            }
            let tokens = services.tokens.pair(refresh: Tokens.refresh.make(), lives: parts.lives)
            let session = SessionID(.v7())
            let opened = try await call.withoutCaller { transaction in
                try Links.take(
                    hash: hash, name: call.body.optionalText("name"), passwordHash: passwordHash,
                    network: call.network, session: session,
                    deviceName: call.body.optionalText("device_name"), tokens: tokens.kept,
                    in: transaction)
            }
            guard opened != nil else { throw Problem(.notFound) }
            return SessionShapes.answer(
                tokens, try await SessionEndpoints.opened(tokens, call, services), parts.lives)
        }
    }
}
