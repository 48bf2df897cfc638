import Postgres

extension Migration {
    /// The lanes of today's kinds of job. A lane is a row, so that a further credential (an app of
    /// its own, web push) is a further row; `Lanes.swift` names them.
    static let lanes = Migration(
        209, "lanes",
        sql: #"""
            select sineta.lane_add(1, 'events.apply', '', '', 10);
            select sineta.lane_add(2, 'alerts.decide', '', '', 10);
            select sineta.lane_add(3, 'alerts.decide', '', '', 50);
            select sineta.lane_add(10, 'push.deliver', 'apns', 'production', 10);
            select sineta.lane_add(11, 'push.deliver', 'apns', 'production', 50);
            select sineta.lane_add(12, 'push.deliver', 'apns', 'sandbox', 10);
            select sineta.lane_add(13, 'push.deliver', 'apns', 'sandbox', 50);
            select sineta.lane_add(14, 'push.deliver', 'fcm', '', 10);
            select sineta.lane_add(15, 'push.deliver', 'fcm', '', 50);
            """#)
}
