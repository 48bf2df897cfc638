import Cryptography
import HTTPServer
import Storage

extension SessionEndpoints {
    /// Ends the session of the refresh token in the body, or of the access token in the header,
    /// with its devices. The answer is 204 whatever was shown: who leaves learns nothing about
    /// tokens.
    static func logout(_ services: Services) -> Endpoint {
        Endpoint(
            .post, "/v1/auth/logout", "Signs out.", access: .anyone,
            body: BodyShape(
                .object([.optional("refresh_token", SessionShapes.token)]), isOptional: true),
            responses: [Response(204, "The session is over.")], codes: [.unavailable]
        ) { call in
            let tokens = [
                try call.body.optionalText("refresh_token").flatMap { token in
                    Tokens.refresh.check(token) ? token : nil
                },
                call.request.headers["Authorization"].flatMap(Tokens.bearer).flatMap { token in
                    Tokens.access.check(token) ? token : nil
                },
            ]
            let hashes = tokens.compactMap { $0 }.map(services.tokens.hash)
            if !hashes.isEmpty {
                try await call.withoutCaller { transaction in
                    for hash in hashes { try Sessions.logout(hash: hash, in: transaction) }
                }
            }
            return .noContent
        }
    }
}
