import Alerts
import JSON
public import Postgres
public import Runtime
import Values

extension Schema {
    /// Writes the declaration of event types where `sineta.emit` reads it. Runs as the schema's
    /// owner after the migrations, each time: a new release brings its own declaration.
    public static func declareEvents(
        pool: PostgresPool, deadline: Deadline
    ) async throws {
        let table = JSONValue.array(EventType.table).encoded
        try await pool.transaction(
            deadline: deadline, preamble: [DatabaseRole.worker.query]
        ) { transaction in
            _ = try transaction.pipeline([
                PostgresQuery(
                    "select pg_advisory_xact_lock(hashtextextended('sineta.event_fields', 0))"),
                PostgresQuery("delete from sineta.event_fields"),
                PostgresQuery(
                    """
                    insert into sineta.event_fields (position, event, path, parent, name, shape,
                      is_required, is_nullable, minimum, maximum, pattern, words)
                    select n, v->>'event', v->>'path', v->>'parent', v->>'name', v->>'shape',
                      (v->>'required')::boolean, (v->>'nullable')::boolean, (v->>'min')::bigint,
                      (v->>'max')::bigint, v->>'pattern',
                      case when jsonb_typeof(v->'words') = 'array'
                        then array(select jsonb_array_elements_text(v->'words')) end
                    from jsonb_array_elements($1) with ordinality t (v, n)
                    """, .json(table)),
            ])
        }
    }
}
