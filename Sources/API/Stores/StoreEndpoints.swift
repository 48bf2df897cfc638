import Alerts
import JSON
import Postgres
import Storage
import Values

/// The stores that people belong to.
enum StoreEndpoints {
    static let endpoints = [own, show, change]

    private static let own = Endpoint(
        .get, "/v1/me/stores", "The caller's stores, with role and permissions.",
        access: Access(.person), isPaged: true,
        responses: [.page(of: StoreShapes.store, "Stores, by id.")]
    ) { call, caller, transaction in
        guard let person = caller.person else { throw Problem(.sessionRequired) }
        let page = try call.page
        let wanted = page.of(StoreSubject.self)
        let memberships = person.memberships.drop { membership in
            wanted.after.map { membership.store.uuid <= $0.id.uuid } ?? false
        }.prefix(wanted.limit)
        let lines = try Stores.list(memberships.map(\.store), in: transaction)
        return page.answer(
            lines, cursor: { Cursor(time: Timestamp(microseconds: 0), id: $0.id.uuid) }
        ) {
            line, writer in
            guard let membership = person.membership(in: line.id) else { return }
            StoreShapes.write(line, membership, to: &writer)
        }
    }

    private static let show = Endpoint(
        .get, "/v1/stores/{store}", "One of the caller's stores.", access: Access(.member),
        responses: [Response(200, "The store.", StoreShapes.store)]
    ) { call, caller, transaction in
        let (_, membership) = try call.own(caller)
        guard let line = try Stores.find(membership.store, in: transaction) else {
            throw Problem(.notFound)
        }
        return .json(200) { StoreShapes.write(line, membership, to: &$0) }
    }

    private static let change = Endpoint(
        .patch, "/v1/stores/{store}", "Changes what a store says of itself.",
        access: Access(.member(with: .storeManage)),
        body: .object(
            .optional("name", StoreShapes.name), .optional("time_zone", StoreShapes.timeZone),
            .optional("locale", StoreShapes.locale), .optional("currency", StoreShapes.currency),
            .optional("low_stock_threshold", .integer(0...1_000_000))),
        responses: [Response(200, "The store as it is now.", StoreShapes.store)]
    ) { call, caller, transaction in
        let (_, membership) = try call.own(caller)
        let change = try StoreFields.change(call.body, in: transaction)
        guard let before = try Stores.find(membership.store, in: transaction),
            let after = try Stores.change(membership.store, change, in: transaction)
        else { throw Problem(.notFound) }
        let changed = StoreFields.difference(before, after)
        if !changed.after.isEmpty {
            try Audit.write(
                membership.store, actor: caller.id.description, act: "store.changed",
                subject: membership.store.description, before: .object(changed.before),
                after: .object(changed.after), in: transaction)
        }
        return .json(200) { StoreShapes.write(after, membership, to: &$0) }
    }
}

extension Call {
    /// The caller and what they are in the store of the path.
    ///
    /// - Throws: 404 for a store that is not theirs.
    func own(_ caller: Caller) throws(Problem) -> (UserID, Caller.Membership) {
        guard let person = caller.person else { throw Problem(.sessionRequired) }
        guard let membership = person.membership(in: try path.id("store")) else {
            throw Problem(.notFound)
        }
        return (person.id, membership)
    }
}
