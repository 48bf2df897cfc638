import Alerts
import Postgres
import Values

/// Who muted what, by the muted thing.
struct MutesBySubject {
    struct Key: Hashable {
        let store: StoreID
        let subject: MuteSubject
        let id: String
    }

    var mutes: [Key: [(user: UserID, mute: Mute)]] = [:]

    /// The mutes that concern one alert, by member.
    func of(_ request: DecideRequest, customer: String?) -> [UserID: [Mute]] {
        if mutes.isEmpty { return [:] }
        var byUser: [UserID: [Mute]] = [:]
        for key in MuteQuery.keys(of: request, customer: customer) {
            for (user, mute) in mutes[key] ?? [] { byUser[user, default: []].append(mute) }
        }
        return byUser
    }
}

/// The mutes of conversations, variants and customers. Customers that only the kept subject names
/// are looked up in the same statement.
enum MuteQuery {
    static func keys(
        of request: DecideRequest, customer: String?
    ) -> [MutesBySubject.Key] {
        var keys: [MutesBySubject.Key] = []
        switch request.subject {
        case .conversation(let id):
            keys.append(.init(store: request.store, subject: .conversation, id: id))
        case .stock(let variant, _):
            keys.append(.init(store: request.store, subject: .variant, id: variant))
        case .order, nil: break
        }
        if let customer {
            keys.append(.init(store: request.store, subject: .customer, id: customer))
        }
        return keys
    }

    static func query(_ requests: [DecideRequest]) -> PostgresQuery {
        let direct = Set(requests.flatMap { keys(of: $0, customer: $0.customerID) })
        let unnamed = Set(
            requests.compactMap { request in
                request.customerID == nil
                    ? request.subject.map { StoredSubject(store: request.store, subject: $0) } : nil
            })
        let named = Array(direct)
        let subjects = Array(unnamed)
        return PostgresQuery(
            sql, .ids(named.lazy.map(\.store)), .texts(named.map(\.subject.rawValue)),
            .texts(named.map(\.id)),
            .ids(subjects.lazy.map(\.store)), .texts(subjects.map(\.subject.kind)),
            .texts(subjects.map(\.subject.id)))
    }

    /// Each is looked up by its whole key (decision record 15).
    static let sql: StaticSQL = """
        with s as (select * from unnest($4::uuid[], $5::text[], $6::text[])
          s (store_id, kind, id)),
        k as (
          select * from unnest($1::uuid[], $2::text[], $3::text[]) k (store_id, kind, id)
          union
          select s.store_id, 'customer', o.customer_id from s
            join lateral (
              select customer_id from sineta.orders o where o.store_id = s.store_id and o.id = s.id
              limit 1) o on true
            where s.kind = 'order' and o.customer_id is not null
          union
          select s.store_id, 'customer', c.customer_id from s
            join lateral (
              select customer_id from sineta.conversations c
              where c.store_id = s.store_id and c.id = s.id limit 1) c on true
            where s.kind = 'conversation' and c.customer_id is not null)
        select t.store_id, t.subject_kind, t.subject_id, t.user_id,
          nullif(t.muted_until, 'infinity')
        from k join lateral (
          select store_id, subject_kind, subject_id, user_id, muted_until
          from sineta.subject_settings t
          where t.store_id = k.store_id and t.subject_kind = k.kind and t.subject_id = k.id
            and t.muted_until > now()
          offset 0) t on true
        """

    static func read(_ rows: PostgresRows) throws(PostgresError) -> MutesBySubject {
        var found = MutesBySubject()
        for row in rows {
            let subject = MuteSubject(rawValue: try row.text(1))
            let key = MutesBySubject.Key(
                store: try row.id(0), subject: subject, id: try row.text(2))
            let mute = Mute(
                subject: subject, id: key.id, until: try row.optionalTimestamp(4))
            found.mutes[key, default: []].append((user: try row.id(3), mute: mute))
        }
        return found
    }
}
