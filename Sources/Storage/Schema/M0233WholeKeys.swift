import Postgres

extension Migration {
    /// A row that is asked for by its whole key is found by it, whatever the planner knows.
    static let wholeKeys = Migration(
        233, "whole keys",
        sql: #"""
            -- Of a table that it believes to be small the planner takes any index whose first column
            -- is given, and keeps that plan until the table is analysed: in the first minute of a
            -- flood each push read all alerts of its store. These indexes begin with the store as
            -- the keys do. With a condition that only their own statements imply
            -- (`subject_id = $2` implies it, by the strictness of `=`), no other can take them.
            drop index sineta.alerts_subject;
            create index alerts_subject on sineta.alerts (store_id, subject_id)
              where subject_id is not null;
            drop index sineta.conversations_status;
            create index conversations_status on sineta.conversations (store_id, status)
              where status is not null;
            drop index sineta.subject_settings_subject;
            create index subject_settings_subject
              on sineta.subject_settings (store_id, subject_kind, subject_id)
              where subject_id is not null;
            """#)
}
