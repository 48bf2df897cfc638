import Alerts
import JSON
import Postgres
import Storage
import Values

/// Why somebody got an alert or did not, without reading a log.
enum AlertEndpoints {
    static func endpoints() -> [Endpoint] { [list, show] }

    /// A member without `alerts.read` calls too, and sees their own line.
    private static let access = Access(.member, .storeToken)

    private static let list = Endpoint(
        .get, "/v1/stores/{store}/alerts",
        "The store's alerts, the newest first. Without `alerts.read`: those that were decided for "
            + "the caller, with their own line alone.",
        access: access,
        query: [
            QueryParameter(
                "kind",
                .text(TextRule(length: 1...100, words: AlertKind.listed.map(\.name), isOpen: true)),
                "Only this kind."),
            QueryParameter(
                "subject_id", .text(TextRule(length: 1...64)),
                "Only about this order, conversation or variant."),
            QueryParameter(
                "q", .text(TextRule(length: 1...200)),
                "Only those whose texts name this, in any case; needs `alerts.read`."),
            .uuid("user_id", "Only those that were decided for this person."),
            .uuid("device_id", "Only those that were decided for this device."),
            .time("from", "Only what happened then or later."),
            .time("to", "Only what happened before."),
            QueryParameter("unheard", .bool, "Only those that reached nobody."),
        ],
        isPaged: true, responses: [.page(of: AlertShapes.alert, "Alerts.")]
    ) { call, caller, transaction in
        let store: StoreID = try call.path.id("store")
        let own = own(caller, store)
        let page = try call.page
        let asked = page.of(EventSubject.self)
        let records = try AlertRecords.list(
            store, filter(call.query, own: own), after: asked.after?.id, limit: asked.limit,
            in: transaction
        ).map { $0.seen(by: own) }
        let view = try AlertView(store, Array(records.prefix(page.limit)), in: transaction)
        return page.answer(
            records, cursor: { Cursor(time: $0.receivedAt, id: $0.id.uuid) }, write: view.write)
    }

    private static let show = Endpoint(
        .get, "/v1/stores/{store}/alerts/{alert}",
        "An alert: its event, every member's decision with its reason, every push with its attempts.",
        access: access, responses: [Response(200, "The alert.", AlertShapes.alert)]
    ) { call, caller, transaction in
        let store: StoreID = try call.path.id("store")
        let own = own(caller, store)
        let found = try AlertRecords.find(store, call.path.id("alert"), in: transaction)
        guard let record = found?.seen(by: own), record.concerns(own) else {
            throw Problem(.notFound)
        }
        let view = try AlertView(store, [record], in: transaction)
        return .json(200) { view.write(record, to: &$0) }
    }

    /// Whose line alone the caller may see; nil for who sees all.
    private static func own(_ caller: Caller, _ store: StoreID) -> UserID? {
        caller.may(.alertsRead, in: store) ? nil : caller.person?.id
    }

    private static func filter(
        _ query: QueryValues, own: UserID?
    ) throws(Problem) -> AlertFilter {
        var filter = AlertFilter()
        filter.kind = query.text("kind")
        filter.subjectID = query.text("subject_id").map { UUID($0)?.description ?? $0 }
        filter.text = query.text("q")
        filter.user = query.id("user_id")
        filter.device = query.id("device_id")
        filter.from = query.time("from")
        filter.to = query.time("to")
        filter.isUnheard = query.bool("unheard")
        if let own {
            // Others' lines must not be guessed, nor what is in alerts that were not for them.
            guard filter.text == nil, filter.user ?? own == own else {
                throw Problem(
                    .forbidden,
                    "`q`, and the `user_id` of another, take the permission "
                        + "\(Permission.alertsRead.rawValue) in the store.")
            }
            filter.user = own
        }
        return filter
    }
}

/// Alerts with what they are shown with, read once for all of them.
private struct AlertView {
    let names: [UserID: String]
    let states: [PushID: PushState]

    init(
        _ store: StoreID, _ records: [AlertRecord], in transaction: PostgresTransaction
    ) throws(PostgresError) {
        let users = Set(records.flatMap { $0.decisions.map(\.user) })
        names =
            users.isEmpty
            ? [:] : try CoverageFacts.names(store, of: Array(users), in: transaction)
        states = try PushStates.load(store, records, in: transaction)
    }

    func write(_ record: AlertRecord, to writer: inout JSONWriter) {
        AlertShapes.write(record, names, states, to: &writer)
    }
}

extension AlertRecord {
    fileprivate func seen(by own: UserID?) -> AlertRecord { own.map { only($0) } ?? self }

    /// Before it is decided it concerns everybody.
    fileprivate func concerns(_ own: UserID?) -> Bool {
        own == nil || decidedAt == nil || !decisions.isEmpty
    }
}
