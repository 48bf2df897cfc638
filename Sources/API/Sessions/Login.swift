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
            let (known, slowDown) = try await Passwords.work {
                try await parts.hasher.withPlace { place in
                    let attempt = try await begin(call, email)
                    return (try await verify(password, attempt, place), attempt.slowDown)
                }
            }
            if slowDown > .zero { try await Task.sleep(for: slowDown) }
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

    private static func begin(
        _ call: Call, _ email: String
    ) async throws -> Sessions.LoginAttempt {
        let attempt = try await call.withoutCaller { transaction in
            try Sessions.beginLogin(
                email: email, network: call.network, address: call.address, in: transaction)
        }
        guard attempt.retryAfter == .zero else {
            throw Problem(
                .rateLimited, "Too many attempts to sign in.",
                retryAfter: Int(attempt.retryAfter.components.seconds))
        }
        return attempt
    }

    private static let wrong = Problem(
        .unauthenticated, "E-mail or password is wrong.")

    /// The person and the hash that the password fits; nil otherwise, after the same work.
    private static func verify(
        _ password: Secret<String>, _ attempt: Sessions.LoginAttempt, _ place: PasswordPlace
    ) async throws -> (UserID, String)? {
        guard let user = attempt.user, let hash = attempt.passwordHash else {
            try await place.hashDummy(password)
            return nil
        }
        return try await place.verify(password, against: hash) ? (user, hash) : nil
    }
}
