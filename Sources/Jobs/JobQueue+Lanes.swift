public import Postgres
public import Runtime
public import Values

extension JobQueue {
    /// All lanes, by number.
    public func lanes(deadline: Deadline) async throws(PostgresError) -> [Lane] {
        try Self.lanes(await run(Self.lanesSQL, deadline: deadline))
    }

    /// The same in a transaction, for role `sineta_operator`.
    public static func lanes(
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> [Lane] {
        try lanes(transaction.query(lanesSQL))
    }

    private static let lanesSQL: StaticSQL =
        "select id, kind, credential, environment, urgency from sineta.lanes order by id"

    private static func lanes(_ rows: PostgresRows) throws(PostgresError) -> [Lane] {
        var lanes: [Lane] = []
        for row in rows {
            lanes.append(
                Lane(
                    id: LaneID(try row.int32(0)), kind: try row.text(1),
                    credential: Credential(name: try row.text(2), environment: try row.text(3)),
                    urgency: try row.int(4)))
        }
        return lanes
    }

    /// How the credentials stand that were ever closed; the others are open.
    public func states(deadline: Deadline) async throws(PostgresError) -> [LaneState] {
        try Self.states(await run(Self.statesSQL, deadline: deadline))
    }

    /// The same in a transaction, for role `sineta_operator`.
    public static func states(
        in transaction: PostgresTransaction
    ) throws(PostgresError) -> [LaneState] {
        try states(transaction.query(statesSQL))
    }

    private static let statesSQL: StaticSQL = """
        select credential, environment, state, since, reason, next_probe_at
        from sineta.lane_states order by credential, environment
        """

    private static func states(_ rows: PostgresRows) throws(PostgresError) -> [LaneState] {
        var states: [LaneState] = []
        for row in rows {
            guard let word = LaneState.Word(rawValue: try row.text(2)) else {
                throw .decoding("unknown state of a lane")
            }
            states.append(
                LaneState(
                    credential: Credential(name: try row.text(0), environment: try row.text(1)),
                    word: word, since: try row.timestamp(3), reason: try row.optionalText(4),
                    nextProbeAt: try row.optionalTimestamp(5)))
        }
        return states
    }

    /// Opens the breaker: the credential's lanes are not claimed until a probe succeeds.
    /// True when this call was the one that did it.
    public func breakLanes(
        of credential: Credential, reason: String, probeIn wait: Duration, deadline: Deadline
    ) async throws(PostgresError) -> Bool {
        try await edge(
            """
            insert into sineta.lane_states as s
                (credential, environment, state, since, reason, next_probe_at)
            values ($1, $2, 'broken', now(), $3, now() + $4::interval)
            on conflict (credential, environment) do update set state = excluded.state,
                since = excluded.since, reason = excluded.reason,
                next_probe_at = excluded.next_probe_at, probes = 0
            where s.state in ('open', 'off') returning state
            """, credential, .text(reason), .interval(wait), deadline: deadline)
    }

    /// Pauses the credential's lanes; a breaker that is open gives way.
    /// True when this call was the one that did it.
    public func pauseLanes(
        of credential: Credential, reason: String, probeIn wait: Duration, deadline: Deadline
    ) async throws(PostgresError) -> Bool {
        try await edge(
            """
            insert into sineta.lane_states as s
                (credential, environment, state, since, reason, next_probe_at)
            values ($1, $2, 'paused', now(), $3, now() + $4::interval)
            on conflict (credential, environment) do update set state = excluded.state,
                since = excluded.since, reason = excluded.reason,
                next_probe_at = excluded.next_probe_at, probes = 0
            where s.state <> 'paused' returning state
            """, credential, .text(reason), .interval(wait), deadline: deadline)
    }

    /// Opens lanes that stood as `word`. True when this call was the one that did it.
    ///
    /// - Parameter time: when the provider's answer was heard, in the database's time; nil for now.
    public func openLanes(
        of credential: Credential, from word: LaneState.Word, since time: Timestamp? = nil,
        deadline: Deadline
    ) async throws(PostgresError) -> Bool {
        try await edge(
            """
            update sineta.lane_states set state = 'open',
                since = least(now(), coalesce($4::timestamptz, now())), reason = null,
                next_probe_at = null, probes = 0
            where credential = $1 and environment = $2 and state = $3 returning state
            """, credential, .text(word.rawValue), .optionalTimestamp(time), deadline: deadline)
    }

    /// Says that a worker has the credential that none had. Nothing was heard of the provider, so
    /// the lanes are open since no time: there is no row. True when this call was the one that did
    /// it.
    public func switchOn(
        _ credential: Credential, deadline: Deadline
    ) async throws(PostgresError) -> Bool {
        try await edge(
            """
            delete from sineta.lane_states
            where credential = $1 and environment = $2 and state = $3 returning state
            """, credential, .text(LaneState.Word.off.rawValue), deadline: deadline)
    }

    /// Says that this worker lacks the credential, unless something worse stands there. The next
    /// runner that has it switches it on again.
    public func switchOff(
        _ credential: Credential, reason: String, deadline: Deadline
    ) async throws(PostgresError) -> Bool {
        try await edge(
            """
            insert into sineta.lane_states as s (credential, environment, state, since, reason)
            values ($1, $2, 'off', now(), $3)
            on conflict (credential, environment) do update set state = excluded.state,
                since = excluded.since, reason = excluded.reason, next_probe_at = null
            where s.state = 'open' returning state
            """, credential, .text(reason), deadline: deadline)
    }

    /// Makes the next probe of a broken credential due at once.
    /// True when the credential is still broken.
    public func hurryProbe(
        of credential: Credential, deadline: Deadline
    ) async throws(PostgresError) -> Bool {
        try await edge(
            """
            update sineta.lane_states set next_probe_at = now()
            where credential = $1 and environment = $2 and state = $3 returning state
            """, credential, .text(LaneState.Word.broken.rawValue), deadline: deadline)
    }

    /// Takes the probe of a pause when it is due, and puts the next one off by twice the last wait,
    /// from `base` to `cap`. Of several workers one gets it. One that lies further off than a
    /// minute behind the longest wait was put off while the database's clock was ahead, and is due.
    public func takePauseProbe(
        of credential: Credential, base: Duration, cap: Duration, deadline: Deadline
    ) async throws(PostgresError) -> Bool {
        try await edge(
            """
            update sineta.lane_states set probes = probes + 1, next_probe_at = now()
                + least($4::interval, $3::interval * power(2, least(probes + 1, 20)))
            where credential = $1 and environment = $2 and state = 'paused'
                and (next_probe_at <= now() or next_probe_at
                    > now() + greatest($3::interval, $4::interval) + interval '1 minute')
            returning state
            """, credential, .interval(base), .interval(cap), deadline: deadline)
    }

    private func edge(
        _ sql: StaticSQL, _ credential: Credential, _ first: PostgresValue,
        _ second: PostgresValue? = nil, deadline: Deadline
    ) async throws(PostgresError) -> Bool {
        let name = PostgresValue.text(credential.name)
        let environment = PostgresValue.text(credential.environment)
        let rows: PostgresRows
        if let second {
            rows = try await run(sql, name, environment, first, second, deadline: deadline)
        } else {
            rows = try await run(sql, name, environment, first, deadline: deadline)
        }
        return !rows.isEmpty
    }
}
