public import Jobs
public import Postgres
public import Runtime
public import Values

/// How a push ended, as its job's end is written.
public struct PushEnd: Sendable {
    /// The words of `deliveries.outcome`; `dead` is written by whoever discards a dead letter.
    public enum Outcome: String, Sendable { case accepted, rejected, expired, suppressed }

    /// What becomes of the device.
    public enum DeviceChange: Sendable {
        case keep
        /// The token is dead, as the provider says in `word`. A registration that is newer than
        /// the one that was sent to, or than the moment of which the provider speaks, is kept.
        case delete(word: String, registeredAt: Timestamp, deadSince: Timestamp?)
        /// Kept, with a word for its owner.
        case note(String)
    }

    /// The job that ends, fenced by its lease.
    public let job: HeldJob
    public let outcome: Outcome
    /// `apns` or `fcm`; nil when nothing was sent.
    public let provider: String?
    /// The HTTP status; nil when nothing was sent.
    public let status: Int?
    /// The provider's word, or why nothing was sent.
    public let reason: String?
    /// The provider's own id of the message.
    public let providerID: String?
    /// The attempt as a JSON object in the shape of `Attempt`; nil when nothing was sent. Of an
    /// `expired` push it is the last attempt, after which there was no time for another: with
    /// `retry_after` when the wait that the provider asked for was what outlived the push.
    public let attempt: [UInt8]?
    /// What the answer means for the device.
    public let device: DeviceChange

    public init(
        job: HeldJob, outcome: Outcome, provider: String? = nil, status: Int? = nil,
        reason: String? = nil, providerID: String? = nil, attempt: [UInt8]? = nil,
        device: DeviceChange = .keep
    ) {
        self.job = job
        self.outcome = outcome
        self.provider = provider
        self.status = status
        self.reason = reason
        self.providerID = providerID
        self.attempt = attempt
        self.device = device
    }
}

/// What is kept of pushes that ended.
public enum Deliveries {
    /// Ends jobs, keeps how, and lets their devices know: one statement for a whole batch, fenced.
    ///
    /// Runs as `.worker`.
    ///
    /// - Returns: the jobs that were still ours; the results of the others are dropped.
    public static func finish(
        _ ends: [PushEnd], pool: PostgresPool, deadline: Deadline
    ) async throws(PostgresError) -> Set<JobID> {
        guard !ends.isEmpty else { return [] }
        let rows = try await pool.query(query(ends), as: .worker, deadline: deadline)
        var finished = Set<JobID>(minimumCapacity: rows.count)
        for row in rows { finished.insert(try row.id(0)) }
        return finished
    }

    static func query(_ ends: [PushEnd]) -> PostgresQuery {
        PostgresQuery(
            sql,
            .ids(ends.lazy.map(\.job.id)), .ids(ends.lazy.map(\.job.lease)),
            .texts(ends.map(\.outcome.rawValue)), .texts(ends.map(\.provider)),
            .int16s(ends.map { $0.status.map { Int16(clamping: $0) } }),
            .texts(ends.map(\.reason)), .texts(ends.map(\.providerID)),
            .jsons(ends.map(\.attempt)), .texts(ends.map(\.device.deletion)),
            .timestamps(ends.map(\.device.registeredAt)),
            .timestamps(ends.map(\.device.deadSince)), .texts(ends.map(\.device.note)))
    }

    /// Two batches cannot wait for each other. Jobs are theirs alone by the lease. Devices that die
    /// are waited for, in the order of their ids and before any other device is held, which
    /// counting them brings about: parts of one statement run in no order of their own. All other
    /// devices are skipped while another batch holds them. A device's time is kept to the minute,
    /// so that one that hears much is not rewritten with each push.
    ///
    /// Devices are looked up and not joined (decision record 15).
    ///
    /// Of a day whose partition has been dropped, as that of a dead letter which was retried after
    /// weeks, nothing is kept: the row would fail the whole batch. Days that are never dropped are
    /// not looked for.
    static let sql: StaticSQL = """
        with o as materialized (
          select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::smallint[],
            $6::text[], $7::text[], $8::jsonb[], $9::text[], $10::timestamptz[],
            $11::timestamptz[], $12::text[])
            o (id, lease, outcome, provider, status, reason, provider_id, attempt, deletion,
               registered_at, dead_since, note)),
        gone as materialized (
          select j.id, j.store_id, j.subject, j.target, j.member, j.raised_at, j.attempts, j.losses,
            j.tries, o.outcome, o.provider, o.status, o.reason, o.provider_id, o.attempt, o.deletion,
            o.registered_at, o.dead_since, o.note
          from sineta.jobs_finish($1, $2) j join o on o.id = j.id),
        kept as (
          insert into sineta.deliveries (day, store_id, alert_id, device_id, id, user_id, raised_at,
            attempts, status, outcome, provider, reason, provider_id, tries, losses)
          select (raised_at at time zone 'UTC')::date, store_id, subject, target, id, member,
            raised_at, attempts + (attempt is not null)::int, status, outcome, provider, reason,
            provider_id,
            case when attempt is null then tries
              else coalesce(tries, '[]') || jsonb_build_array(attempt) end, losses
          from gone where subject is not null and target is not null and member is not null
            and (raised_at between now() - interval '6 days' and now() + interval '1 day'
              or to_regclass('sineta.deliveries_'
                || to_char(raised_at at time zone 'UTC', 'YYYYMMDD')) is not null)
          on conflict do nothing),
        dying as materialized (
          select d.id, d.user_id, g.deletion
          from (select * from gone where deletion is not null order by target offset 0) g
          cross join lateral (
            select d.id, d.user_id from sineta.devices d
            where d.id = g.target and d.user_id = g.member
              and d.last_registered_at <= g.registered_at
              and (g.dead_since is null or g.dead_since >= d.last_registered_at)
            for update) d),
        heard as materialized (
          select d.id, d.user_id
          from (select distinct target, member from gone
            where outcome = 'accepted' and (select count(*) from dying) >= 0) g
          cross join lateral (
            select d.id, d.user_id from sineta.devices d
            where d.id = g.target and d.user_id = g.member
              and (d.last_accepted_at is null or d.last_error is not null
                or d.last_accepted_at < now() - interval '1 minute')
            for no key update skip locked) d),
        noting as materialized (
          select d.id, d.user_id, g.note
          from (select * from gone
            where note is not null and (select count(*) from dying) >= 0 offset 0) g
          cross join lateral (
            select d.id, d.user_id from sineta.devices d
            where d.id = g.target and d.user_id = g.member
            for no key update skip locked) d),
        stamped as (
          update sineta.devices set last_accepted_at = now(), last_error = null
          where id = any (array(select id from heard))
            and user_id = any (array(select user_id from heard))),
        noted as (
          update sineta.devices d set last_error = n.note from noting n
          where d.id = n.id and d.id = any (array(select id from noting))
            and d.user_id = any (array(select user_id from noting))),
        dead as (
          delete from sineta.devices where id = any (array(select id from dying))
            and user_id = any (array(select user_id from dying))
          returning user_id, id, platform, device_name),
        tombs as (
          insert into sineta.removed_devices (user_id, id, platform, device_name, reason,
            provider_reason)
          select user_id, id, platform, device_name, 'provider_rejected', deletion
          from dead join dying using (id, user_id)
          on conflict do nothing)
        select id from gone
        """
}

extension PushEnd.DeviceChange {
    fileprivate var deletion: String? {
        if case .delete(let word, _, _) = self { word } else { nil }
    }

    fileprivate var registeredAt: Timestamp? {
        if case .delete(_, let registeredAt, _) = self { registeredAt } else { nil }
    }

    fileprivate var deadSince: Timestamp? {
        if case .delete(_, _, let deadSince) = self { deadSince } else { nil }
    }

    fileprivate var note: String? {
        if case .note(let word) = self { word } else { nil }
    }
}
