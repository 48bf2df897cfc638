import Alerts
import JSON
import Postgres
import Storage
import Values

/// How stores come to be.
enum OpsStoreEndpoints {
    static func endpoints(_ services: Services) -> [Endpoint] { [create(services.tokens)] }

    private static let created = Shape.named(
        "NewStore",
        .object(
            StoreShapes.own + [
                .required("owner", MemberShapes.user),
                .required("invite", .nullable(MemberShapes.invite)),
            ]))

    private static func create(_ tokens: Tokens) -> Endpoint {
        Endpoint(
            .post, "/v1/ops/stores",
            "Makes a store with its first owner: a known address at once, another by an invite.",
            access: Access(.operators),
            body: .object(
                .required("name", StoreShapes.name), .required("time_zone", StoreShapes.timeZone),
                .required("locale", StoreShapes.locale),
                .required("currency", StoreShapes.currency),
                .required("owner_email", MailAddress.shape)),
            responses: [Response(201, "The store.", created)], isIdempotent: true
        ) { call, caller, transaction in
            let store = try newStore(call.body, in: transaction)
            let link = NewLink(tokens)
            let owner = try Provisioning.createStore(
                store, ownerEmail: call.body.text("owner_email").lowercased(),
                newUser: UserID(.v7()), invite: link.invite, in: transaction)
            let line = StoreLine(store)
            let known = StoreFields.fields(line) + [("owner", .text(owner.user.description))]
            try Audit.write(
                store.id, actor: caller.id.description, act: "store.created",
                subject: store.id.description, after: .object(JSONObject(known)),
                in: transaction)
            return answer(line, owner, link)
        }
    }

    private static func newStore(
        _ body: Body, in transaction: PostgresTransaction
    ) throws -> NewStore {
        let fields = try StoreFields.change(body, in: transaction)
        return NewStore(
            id: StoreID(.v7()), name: try body.text("name"),
            timeZone: try body.text("time_zone"), locale: try fields.locale ?? body.text("locale"),
            currency: try body.text("currency"))
    }

    private static func answer(_ store: StoreLine, _ owner: AddedMember, _ link: NewLink) -> Answer
    {
        let answer = Answer.json(201) { writer in
            writer.beginObject()
            StoreShapes.writeMembers(of: store, to: &writer)
            MemberShapes.write(owner.user, owner.name, owner.email, as: "owner", to: &writer)
            link.write(until: owner.inviteExpiresAt, to: &writer)
            writer.endObject()
        }
        return owner.inviteExpiresAt == nil ? answer : answer.once
    }
}
