import Cryptography
import Postgres
import Runtime
import Storage
import Values

extension SessionEndpoints {
    /// Rotates a refresh token. The token before stays good until its successor is first used, at
    /// most for the grace, and brings the same successor; after that its use ends the session.
    static func refresh(_ services: Services, _ parts: Parts) -> Endpoint {
        Endpoint(
            .post, "/v1/auth/refresh", "Renews a session.", access: .anyone,
            body: .object(.required("refresh_token", SessionShapes.token)),
            responses: [Response(200, "Renewed.", SessionShapes.signedIn)],
            codes: [.unauthenticated, .sessionEnded, .refreshTokenReused, .unavailable]
        ) { call in
            let token = try call.body.text("refresh_token")
            // A wrong checksum costs no query.
            guard Tokens.refresh.check(token) else { throw Problem(.unauthenticated) }
            let outcome = try await call.withoutCaller { transaction in
                try rotate(token, services.tokens, parts.lives, in: transaction)
            }
            switch outcome {
            case .renewed(let tokens):
                return SessionShapes.answer(
                    tokens, try await opened(tokens, call, services), parts.lives)
            case .reused(let session):
                call.log.warning("refresh token reused", ["session": .id(session)])
                throw Problem(.refreshTokenReused)
            case .ended: throw Problem(.sessionEnded)
            case .unknown: throw Problem(.unauthenticated)
            }
        }
    }

    private enum Outcome: Sendable {
        case renewed(TokenPair)
        case reused(SessionID)
        case ended
        case unknown
    }

    /// A reuse is an outcome and no error: what it ends must be committed.
    private static func rotate(
        _ token: String, _ makers: Tokens, _ lives: SessionLives,
        in transaction: PostgresTransaction
    ) throws -> Outcome {
        let hash = makers.hash(token)
        switch try Sessions.findRefresh(hash: hash, grace: lives.grace, in: transaction) {
        case .reused(let session): return .reused(session)
        case .ended: return .ended
        case .unknown: return .unknown
        case .good(let session, let generation):
            let successor = makers.successor(of: token, session: session, generation: generation)
            let tokens = makers.pair(refresh: successor, lives: lives)
            let renewed = try Sessions.rotate(hash: hash, tokens: tokens.kept, in: transaction)
            return renewed == nil ? .ended : .renewed(tokens)
        }
    }
}
