import Alerts
import Cryptography
import JSON
import Postgres
import Storage
import Values

/// What people see and say of themselves.
enum MeEndpoints {
    static func endpoints(_ services: Services, _ parts: Parts) -> [Endpoint] {
        [show, change, changePassword(parts.hasher)]
    }

    static let me = Shape.named(
        "Me",
        .object([
            .required("id", .uuid), .required("email", .text), .required("name", .text),
            .required("locale", .nullable(.text)),
        ]))

    private static let show = Endpoint(
        .get, "/v1/me", "The caller's profile.", access: Access(.person),
        responses: [Response(200, "The profile.", me)],
        reading: { _ in [] }
    ) { _, caller, _ in
        guard let person = caller.person else { throw Problem(.sessionRequired) }
        return profile(person.id, person.email, person.name, person.locale)
    }

    private static let change = Endpoint(
        .patch, "/v1/me", "Changes name or locale.", access: Access(.person),
        body: .object(
            .optional("name", GivenText.personName.shape),
            .optional("locale", .nullable(.text(1...100)))),
        responses: [Response(200, "The profile as it is now.", me)]
    ) { call, caller, transaction in
        guard let person = caller.person else { throw Problem(.sessionRequired) }
        let name = try call.body.optionalText("name")
        let locale = try Locales.change(call.body, "locale")
        guard try Profile.change(person.id, name: name, locale: locale, in: transaction) else {
            throw Problem(.notFound)
        }
        return profile(
            person.id, person.email, name ?? person.name, locale.applied(to: person.locale))
    }

    private static func profile(
        _ id: UserID, _ email: String, _ name: String, _ locale: String?
    ) -> Answer {
        .json(200) { writer in
            writer.beginObject()
            writer.member("id", id.description)
            writer.member("email", email)
            writer.member("name", name)
            writer.member("locale", orNull: locale)
            writer.endObject()
        }
    }

    /// The password is checked and the new one hashed between two transactions, since neither may
    /// hold a connection for its 40 ms.
    private static func changePassword(_ hasher: PasswordHasher) -> Endpoint {
        Endpoint(
            .post, "/v1/me/password",
            "Changes the password and ends every other session with its devices.",
            access: Access(.person),
            body: .object(
                .required("current_password", SessionShapes.password),
                .required("new_password", SessionShapes.newPassword)),
            responses: [Response(204, "Changed.")], codes: [.conflict]
        ) { call, entrance in
            let stored = try await entrance.enter { _, transaction in
                try Sessions.passwordHash(in: transaction)
            }
            let current = Secret(try call.body.text("current_password"))
            let new = try Passwords.new(call.body, "new_password")
            let hash = try await Passwords.work {
                () async throws(PasswordFault) -> String? in
                guard let stored, try await hasher.verify(current, against: stored) else {
                    return nil
                }
                return try await hasher.hash(new)
            }
            guard let stored, let hash else {
                throw Problem.invalid(
                    "/current_password", .notAllowed, "is not the current password")
            }
            let changed = try await entrance.enter { _, transaction in
                try Sessions.changePassword(checkedHash: stored, newHash: hash, in: transaction)
            }
            guard changed else {
                throw Problem(
                    .conflict,
                    "The password was changed by another call: send that one as current.")
            }
            return .noContent
        }
    }
}
