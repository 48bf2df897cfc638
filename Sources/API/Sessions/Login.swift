import Alerts
import Cryptography
import Storage
import Values

extension SessionEndpoints {
    /// Unknown e-mail and wrong password get one answer after the same work. Attempts are counted
    /// before the password is looked at, so that parallel guesses count too.
    static func login(_ services: Services, _ parts: Parts) -> Endpoint {
        Endpoint(
            .post, "/v1/auth/login", "Signs a person in.", access: .anyone,
            body: .object(
                .required("email", MailAddress.shape),
                .required("password", SessionShapes.password),
                .optional("device_name", SessionShapes.deviceName)),
            responses: [Response(200, "Signed in.", SessionShapes.signedIn)],
            codes: [.unauthenticated, .rateLimited, .unavailable]
        ) { call in
            let email = try call.body.text("email").lowercased()
            let password = Secret(try call.body.text("password"))
            // Who is turned away all the same costs the database nothing, and counts as no guess.
            guard parts.hasher.hasRoom else { throw Passwords.busy }
            let attempt = try await call.withoutCaller { transaction in
                try Sessions.beginLogin(
                    email: email, network: call.network, address: call.address, in: transaction)
            }
            guard attempt.retryAfter == .zero else {
                throw Problem(
                    .rateLimited, "Too many attempts to sign in.",
                    retryAfter: Int(attempt.retryAfter.components.seconds))
            }
            let known = try await verify(password, attempt, parts.hasher)
            if attempt.slowDown > .zero { try await Task.sleep(for: attempt.slowDown) }
            guard let (user, hash) = known else { throw wrong }
            let tokens = services.tokens.pair(refresh: Tokens.refresh.make(), lives: parts.lives)
            let deviceName = try call.body.optionalText("device_name")
            let session = SessionID(.v7())
            let opened = try await call.withoutCaller { transaction in
                try Sessions.finishLogin(
                    user: user, checkedHash: hash, network: call.network, session: session,
                    deviceName: deviceName, tokens: tokens.kept, in: transaction)
            }
            guard opened != nil else { throw wrong }
            return SessionShapes.answer(
                tokens, try await Self.opened(tokens, call, services), parts.lives)
        }
    }

    private static let wrong = Problem(
        .unauthenticated, "E-mail or password is wrong.")

    /// The person and the hash that the password fits; nil otherwise, after the same work.
    private static func verify(
        _ password: Secret<String>, _ attempt: Sessions.LoginAttempt, _ hasher: PasswordHasher
    ) async throws -> (UserID, String)? {
        guard let user = attempt.user, let hash = attempt.passwordHash else {
            try await Passwords.work { () async throws(PasswordFault) in
                try await hasher.hashDummy(password)
            }
            return nil
        }
        let fits = try await Passwords.work { () async throws(PasswordFault) in
            try await hasher.verify(password, against: hash)
        }
        return fits ? (user, hash) : nil
    }
}
