public import Alerts
public import Postgres
public import Values

/// What `POST /v1/me/devices` brought, checked and normalised. An optional field that is absent
/// leaves what is kept; null clears it.
public struct DeviceRegistration: Sendable {
    /// `ios` or `android`.
    public var platform: String
    /// Which provider carries it: `apns` or `fcm`.
    public var transport: String
    /// Which app's credentials it takes. Unique with transport and token.
    public var app: String
    /// As the provider knows it; of iOS in lower case.
    public var token: Secret<String>
    /// `production` or `sandbox`; null means production.
    public var environment: Change<String> = .unchanged
    public var appVersion: Change<String> = .unchanged
    public var deviceName: Change<String> = .unchanged
    /// A language tag; one of an unknown language is kept.
    public var locale: Change<String> = .unchanged
    /// The installation: another token of the same one replaces this.
    public var installID: Change<String> = .unchanged
    /// Kept for kinds to come.
    public var capabilities: Change<[String]> = .unchanged

    public init(platform: String, transport: String, app: String, token: Secret<String>) {
        self.platform = platform
        self.transport = transport
        self.app = app
        self.token = token
    }

    /// The optional fields that the call brought.
    var given: [String] {
        [
            environment.isUnchanged ? nil : "environment",
            appVersion.isUnchanged ? nil : "app_version",
            deviceName.isUnchanged ? nil : "device_name", locale.isUnchanged ? nil : "locale",
            installID.isUnchanged ? nil : "install_id",
            capabilities.isUnchanged ? nil : "capabilities",
        ].compactMap { $0 }
    }
}

/// A device as its owner sees it: never the token.
public struct DeviceLine: Sendable {
    public let id: DeviceID
    /// The session that registered it last.
    public let session: SessionID
    /// `ios` or `android`.
    public let platform: String
    /// `apns` or `fcm`.
    public let transport: String
    public let app: String
    /// `production` or `sandbox`.
    public let environment: String
    public let appVersion: String?
    public let deviceName: String?
    public let locale: String?
    /// Its session goes on.
    public let isActive: Bool
    /// When its token came for the first time from this person.
    public let registeredAt: Timestamp
    /// When its token came last. A provider's word of an earlier time does not concern it.
    public let lastRegisteredAt: Timestamp
    /// To the minute.
    public let lastAcceptedAt: Timestamp?
    /// The provider's last word against it; nil since a push was taken or it registered again.
    public let lastError: String?
}

/// Why a device is gone; the words of `GET /v1/me/devices/removed`.
public enum RemovalReason: String, Sendable, CaseIterable {
    case unregisteredByUser = "unregistered_by_user"
    case logout
    case sessionEnded = "session_ended"
    case passwordChanged = "password_changed"
    case tokenMoved = "token_moved"
    case tokenReplaced = "token_replaced"
    case providerRejected = "provider_rejected"
}

/// The devices of people. Everything here is the caller's own: row-level security knows them by
/// `app.user`.
public enum Devices {
    /// What came of a registration, with the id that the device has now.
    public enum RegistrationAnswer: Sendable, Equatable {
        case created(DeviceID)
        case known(DeviceID)
        /// It was somebody else's: theirs is gone, this is a new one.
        case moved(DeviceID)
        case sessionEnded
    }

    /// Registers a token for the calling session. Any number of equal calls at once make one
    /// device.
    ///
    /// - Parameter id: the id that a new device gets.
    public static func register(
        _ registration: DeviceRegistration, id: DeviceID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> RegistrationAnswer {
        let rows = try transaction.query(
            """
            select answer, id from sineta.register_device(
              $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """,
            .id(id), .text(registration.platform), .text(registration.transport),
            .text(registration.app), .text(registration.token.reveal()),
            .texts(registration.given), .optionalText(registration.environment.value),
            .optionalText(registration.appVersion.value),
            .optionalText(registration.deviceName.value), .optionalText(registration.locale.value),
            .optionalText(registration.installID.value),
            .optionalTexts(registration.capabilities.value))
        guard let row = rows.first else { throw .decoding("register_device gave no row") }
        switch try row.text(0) {
        case "created": return .created(try row.id(1))
        case "known": return .known(try row.id(1))
        case "moved": return .moved(try row.id(1))
        default: return .sessionEnded
        }
    }

    /// Deletes one of the caller's devices; false when it is not theirs.
    public static func remove(
        _ device: DeviceID, reason: RemovalReason = .unregisteredByUser,
        providerReason: String? = nil, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Bool {
        try transaction.query(
            "select sineta.remove_device($1, $2, $3)", .id(device), .text(reason.rawValue),
            .optionalText(providerReason)
        ).first?.bool(0) ?? false
    }

    /// What a test push to one of the caller's devices needs.
    public struct Target: Sendable {
        public let line: DeviceLine
        public let token: Secret<String>
        /// Its person's language tag, for a device without one.
        public let userLocale: String?
    }

    /// Nil when the device is not theirs.
    public static func target(
        _ device: DeviceID, of user: UserID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Target? {
        let rows = try transaction.query(
            """
            select d.id, d.session_id, d.platform, d.transport, d.app_id, d.environment,
              d.app_version, d.device_name, d.locale,
              s.ended_at is null and s.expires_at > now(), d.registered_at, d.last_registered_at,
              d.last_accepted_at, d.last_error, d.token, u.locale
            from sineta.devices d join sineta.sessions s on s.id = d.session_id
            join sineta.users u on u.id = d.user_id
            where d.id = $1 and d.user_id = $2
            """, .id(device), .id(user))
        return try rows.first.map { row throws(PostgresError) in
            Target(
                line: try line(row), token: Secret(try row.text(14)),
                userLocale: try row.optionalText(15))
        }
    }

    /// Notes how a test push to one of the caller's devices went: accepted, or the provider's word.
    public static func note(
        _ device: DeviceID, of user: UserID, error: String?, in transaction: PostgresTransaction
    ) throws(PostgresError) {
        _ = try transaction.query(
            """
            update sineta.devices set last_error = $3,
              last_accepted_at = case when $3::text is null then now() else last_accepted_at end
            where id = $1 and user_id = $2
            """, .id(device), .id(user), .optionalText(error))
    }

    /// The caller's devices, the one registered last first; `lines` reads what it gives.
    public static func list(_ page: Page<DeviceID>) -> PostgresQuery {
        PostgresQuery(
            """
            select d.id, d.session_id, d.platform, d.transport, d.app_id, d.environment,
              d.app_version, d.device_name, d.locale,
              s.ended_at is null and s.expires_at > now(), d.registered_at, d.last_registered_at,
              d.last_accepted_at, d.last_error
            from sineta.devices d join sineta.sessions s on s.id = d.session_id
            where d.user_id = (select nullif(current_setting('app.user', true), '')::uuid)
              and ($1::timestamptz is null or (d.registered_at, d.id) < ($1, $2))
            order by d.registered_at desc, d.id desc limit $3
            """,
            .optionalTimestamp(page.after?.time), .optionalUUID(page.after?.id.uuid),
            .int(page.limit))
    }

    public static func lines(_ rows: PostgresRows) throws(PostgresError) -> [DeviceLine] {
        try rows.map(line)
    }

    /// One of a person's devices.
    public static func find(
        _ device: DeviceID, of user: UserID, in transaction: PostgresTransaction
    ) throws(PostgresError) -> DeviceLine? {
        try transaction.query(
            """
            select d.id, d.session_id, d.platform, d.transport, d.app_id, d.environment,
              d.app_version, d.device_name, d.locale,
              s.ended_at is null and s.expires_at > now(), d.registered_at, d.last_registered_at,
              d.last_accepted_at, d.last_error
            from sineta.devices d join sineta.sessions s on s.id = d.session_id
            where d.id = $1 and d.user_id = $2
            """, .id(device), .id(user)
        ).first.map(line)
    }

    static func list(
        of user: UserID, sessions: [SessionID], in transaction: PostgresTransaction
    ) throws(PostgresError) -> [DeviceLine] {
        try transaction.query(
            """
            select d.id, d.session_id, d.platform, d.transport, d.app_id, d.environment,
              d.app_version, d.device_name, d.locale, true, d.registered_at, d.last_registered_at,
              d.last_accepted_at, d.last_error
            from sineta.devices d where d.user_id = $1 and d.session_id = any ($2)
            order by d.registered_at, d.id
            """, .id(user), .ids(sessions)
        ).map(line)
    }

    static func line(_ row: PostgresRow) throws(PostgresError) -> DeviceLine {
        DeviceLine(
            id: try row.id(0), session: try row.id(1), platform: try row.text(2),
            transport: try row.text(3), app: try row.text(4), environment: try row.text(5),
            appVersion: try row.optionalText(6), deviceName: try row.optionalText(7),
            locale: try row.optionalText(8), isActive: try row.bool(9),
            registeredAt: try row.timestamp(10), lastRegisteredAt: try row.timestamp(11),
            lastAcceptedAt: try row.optionalTimestamp(12), lastError: try row.optionalText(13))
    }
}
