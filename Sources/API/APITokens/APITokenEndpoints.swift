import Alerts
import Cryptography
import JSON
import Postgres
import Storage
import Values

/// The tokens of a store's commerce backend.
enum APITokenEndpoints {
    static func endpoints(_ services: Services) -> [Endpoint] {
        [list, create(services.tokens), remove]
    }

    private static let access = Access(.member(with: .storeManage))

    private static let fields: [Field] = [
        .required("id", .uuid), .required("name", .text), .required("prefix", .text),
        .required("created_at", .time), .required("last_used_at", .nullable(.time)),
    ]

    private static let token = Shape.named("APIToken", .object(fields))
    private static let newToken = Shape.named(
        "NewAPIToken", .object(fields + [.required("token", .text)]))

    private static let list = Endpoint(
        .get, "/v1/stores/{store}/api-tokens", "The store's API tokens, newest first.",
        access: access, isPaged: true, responses: [.page(of: token, "Tokens, never their text.")]
    ) { call, _, transaction in
        let page = try call.page
        let rows = try APITokens.list(
            call.path.id("store"), page: page.of(APITokenSubject.self), in: transaction)
        return page.answer(rows, cursor: { Cursor(time: $0.createdAt, id: $0.id.uuid) }) {
            line, writer in
            writer.beginObject()
            write(line, to: &writer)
            writer.endObject()
        }
    }

    private static func create(_ tokens: Tokens) -> Endpoint {
        Endpoint(
            .post, "/v1/stores/{store}/api-tokens", "Makes an API token, which is shown once.",
            access: access, body: .object(.required("name", GivenText.tokenName.shape)),
            responses: [Response(201, "The token, once.", newToken)], isIdempotent: true
        ) { call, caller, transaction in
            let (user, membership) = try call.own(caller)
            let text = Tokens.store.make().reveal()
            let line = try APITokens.create(
                membership.store, id: APITokenID(.v7()), name: call.body.text("name"),
                prefix: TokenFormat.shown(of: text), hash: tokens.hash(text), by: user,
                in: transaction)
            try Audit.write(
                membership.store, actor: user.description, act: "api_token.created",
                subject: line.id.description, after: ["name": .text(line.name)],
                in: transaction)
            return Answer.json(201) { writer in
                writer.beginObject()
                write(line, to: &writer)
                writer.member("token", text)
                writer.endObject()
            }.once
        }
    }

    private static let remove = Endpoint(
        .delete, "/v1/stores/{store}/api-tokens/{token}", "Ends an API token at once.",
        access: access, responses: [Response(204, "It is gone.")]
    ) { call, caller, transaction in
        let store: StoreID = try call.path.id("store")
        let token: APITokenID = try call.path.id("token")
        guard try APITokens.remove(store, token, in: transaction) else {
            throw Problem(.notFound)
        }
        try Audit.write(
            store, actor: caller.id.description, act: "api_token.removed",
            subject: token.description, in: transaction)
        return .noContent
    }

    private static func write(_ line: APITokenLine, to writer: inout JSONWriter) {
        writer.member("id", line.id.description)
        writer.member("name", line.name)
        writer.member("prefix", line.prefix)
        writer.member("created_at", line.createdAt.rfc3339)
        writer.member("last_used_at", orNull: line.lastUsedAt?.rfc3339)
    }
}
