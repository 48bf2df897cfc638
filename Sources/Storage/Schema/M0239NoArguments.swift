import Postgres

extension Migration {
    /// Operators see how jobs stand, and not what they carry: the arguments of a job are its event,
    /// with the names and messages of a store's customers.
    static let noArguments = Migration(
        239, "no arguments",
        sql: #"""
            revoke select on sineta.jobs, sineta.jobs_dead from sineta_operator;
            grant select (id, store_id, subject, target, member, lease_id, tag, wake_at, raised_at,
                created_at, expires_at, lane, attempts, losses, kind, tries, last_error, timed_at)
              on sineta.jobs to sineta_operator;
            grant select (id, store_id, subject, target, member, lease_id, tag, wake_at, raised_at,
                created_at, expires_at, lane, attempts, losses, kind, tries, last_error, dead_id,
                buried_at, reason)
              on sineta.jobs_dead to sineta_operator;
            """#)
}
