import Alerts
import Postgres
import Values

struct StoredSubject: Hashable {
    let store: StoreID
    let subject: SubjectReference
}

/// What is kept of a subject.
struct SubjectRow {
    var known = KnownSubject()
    var assignee: AssigneeFacts?
}

/// What the platform keeps of orders, conversations and stock that alerts are about.
enum SubjectQuery {
    static func query(_ requests: [DecideRequest]) -> PostgresQuery {
        var subjects: Set<StoredSubject> = []
        for request in requests {
            if let subject = request.subject {
                subjects.insert(StoredSubject(store: request.store, subject: subject))
            }
        }
        let list = Array(subjects)
        return PostgresQuery(
            sql, .ids(list.lazy.map(\.store)), .texts(list.map(\.subject.kind)),
            .texts(list.map(\.subject.id)),
            .texts(
                list.map { item in
                    if case .stock(_, let location) = item.subject { location } else { nil }
                }))
    }

    /// Each is looked up by its whole key, however the tables were planned (decision record 15).
    static let sql: StaticSQL = """
        with u as (select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
          u (store_id, kind, id, location_id))
        select u.store_id, u.kind, u.id, null::text, o.customer_name, o.customer_id, null::text,
          null::text, null::uuid, null::text, null::text[]
        from u join lateral (
          select customer_name, customer_id from sineta.orders o
          where o.store_id = u.store_id and o.id = u.id limit 1) o on true
        where u.kind = 'order'
        union all
        select u.store_id, u.kind, u.id, u.location_id, null, null, k.variant_name,
          k.location_name, null, null, null
        from u join lateral (
          select variant_name, location_name from sineta.stock k
          where k.store_id = u.store_id and k.variant_id = u.id
            and k.location_id = u.location_id
          limit 1) k on true
        where u.kind = 'stock'
        union all
        select u.store_id, u.kind, u.id, null, c.customer_name, c.customer_id, null, null,
          c.assignee_id, m.role, m.permissions
        from u join lateral (
          select customer_name, customer_id, assignee_id from sineta.conversations c
          where c.store_id = u.store_id and c.id = u.id limit 1) c on true
        left join lateral (
          select role, permissions from sineta.members m
          where m.store_id = u.store_id and m.user_id = c.assignee_id
            and m.joined_at is not null
          limit 1) m on true
        where u.kind = 'conversation'
        """

    static func read(_ rows: PostgresRows) throws(PostgresError) -> [StoredSubject: SubjectRow] {
        var subjects: [StoredSubject: SubjectRow] = [:]
        for row in rows {
            let id = try row.text(2)
            let subject: SubjectReference =
                switch try row.text(1) {
                case "order": .order(id)
                case "conversation": .conversation(id)
                default: .stock(variant: id, location: try row.text(3))
                }
            subjects[StoredSubject(store: try row.id(0), subject: subject)] = SubjectRow(
                known: KnownSubject(
                    customerName: try row.optionalText(4), customerID: try row.optionalText(5),
                    variantName: try row.optionalText(6), locationName: try row.optionalText(7)),
                assignee: try assignee(row, at: 8))
        }
        return subjects
    }

    /// From the assignee's id, and the role and permissions of a member who is one still.
    static func assignee(
        _ row: PostgresRow, at column: Int
    ) throws(PostgresError) -> AssigneeFacts? {
        guard let user: UserID = try row.optionalID(column) else { return nil }
        guard try !row.isNull(column + 1) else {
            return AssigneeFacts(user: user, isActiveMember: false, permissions: [])
        }
        return AssigneeFacts(
            user: user, permissions: try MemberQuery.permissions(row, at: column + 1))
    }
}
