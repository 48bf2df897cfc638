import JSON
import Storage
import Values

/// Signing in, staying in, leaving.
enum SessionEndpoints {
    static func endpoints(_ services: Services, _ parts: Parts) -> [Endpoint] {
        [
            login(services, parts), refresh(services, parts), logout(services),
            list(), end(),
        ]
    }

    private static func list() -> Endpoint {
        Endpoint(
            .get, "/v1/me/sessions", "The caller's live sessions, newest first.",
            access: Access(.person), isPaged: true,
            responses: [.page(of: SessionShapes.session, "Sessions.")]
        ) { call, caller, transaction in
            guard let person = caller.person else { throw Problem(.sessionRequired) }
            let page = try call.page
            let rows = try Sessions.list(
                of: person.id, page: page.of(SessionSubject.self), in: transaction)
            return page.answer(rows, cursor: { Cursor(time: $0.createdAt, id: $0.id.uuid) }) {
                line, writer in
                SessionShapes.write(line, current: line.id == person.session, to: &writer)
            }
        }
    }

    private static func end() -> Endpoint {
        Endpoint(
            .delete, "/v1/me/sessions/{session}", "Ends a session and deletes its devices.",
            access: Access(.person), responses: [Response(204, "It is over.")]
        ) { call, _, transaction in
            guard try Sessions.end(call.path.id("session"), in: transaction) else {
                throw Problem(.notFound)
            }
            return .noContent
        }
    }

    /// Enters with the access token that was just made and reads the session it belongs to.
    static func opened(
        _ tokens: TokenPair, _ call: Call, _ services: Services
    ) async throws -> SessionLine {
        let credential = PresentedToken(kind: .access, hash: tokens.kept.accessHash)
        return try await services.door.enter(credential, as: .api, deadline: call.deadline) {
            answer, transaction in
            guard case .entered(let caller) = answer, let person = caller.person,
                let line = try Sessions.find(person.session, of: person.id, in: transaction)
            else { throw Problem(.sessionEnded) }
            return line
        }
    }
}
