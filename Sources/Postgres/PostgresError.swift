/// What the server said about a statement that failed (`PQresultErrorField`).
public struct ServerReport: Sendable, Equatable {
    /// Five characters (https://www.postgresql.org/docs/15/errcodes-appendix.html).
    public let sqlState: String
    /// The primary message. It may quote a value, so it is printed only where it cannot.
    public let message: String
    /// More words; they often quote values, and are never printed.
    public let detail: String?
    /// What might be done about it, in the server's words; never printed either.
    public let hint: String?
    /// This and the next ones name what it is about, where the server gives it: constraint
    /// violations do.
    public let schema: String?
    /// Without its schema.
    public let table: String?
    /// Of `table`; nil unless it is about a single one.
    public let column: String?
    /// A unique index counts as one, however it was made.
    public let constraint: String?
    /// The function of the server's source that reported it; unlike the words it is not translated.
    public let sourceFunction: String?

    public init(
        sqlState: String, message: String, detail: String? = nil, hint: String? = nil,
        schema: String? = nil, table: String? = nil, column: String? = nil,
        constraint: String? = nil, sourceFunction: String? = nil
    ) {
        self.sqlState = sqlState
        self.message = message
        self.detail = detail
        self.hint = hint
        self.schema = schema
        self.table = table
        self.column = column
        self.constraint = constraint
        self.sourceFunction = sourceFunction
    }

    /// Data exceptions, constraint violations and messages raised by functions quote data.
    private var mayQuoteData: Bool {
        sqlState.hasPrefix("22") || sqlState.hasPrefix("23") || sqlState.hasPrefix("P0")
    }

    var safeDescription: String {
        var text = "SQLSTATE \(sqlState)"
        if !mayQuoteData { text += " \(message)" }
        if let table { text += ", table \(table)" }
        if let column { text += ", column \(column)" }
        if let constraint { text += ", constraint \(constraint)" }
        return text
    }

    /// The server goes away, is not yet there, or is no primary any more.
    var meansServerIsGone: Bool {
        switch sqlState {
        case "25006", "57P01", "57P02", "57P03": true
        default: sqlState.hasPrefix("08")
        }
    }

    /// A prepared statement that the schema has left behind, or that a pooler took away: a new
    /// connection prepares it anew.
    var meansStatementIsStale: Bool {
        sqlState == "26000"
            || (sqlState == "0A000" && sourceFunction == "RevalidateCachedQuery")
    }
}

/// Why the database did not do what it was asked. Its description is safe to print: no values.
public enum PostgresError: Error, Sendable, Equatable {
    /// The server refused the statement.
    case server(ServerReport)
    /// The connection ended before the answer came. Outside COMMIT nothing has been committed,
    /// unless the statement ran by itself: then it may have been.
    case connectionLost(String)
    /// The deadline passed while the statement ran; its connection is closed.
    case timeout
    /// The deadline passed while waiting for a connection: all were in use.
    case poolTimeout
    /// COMMIT was sent and no answer came. It may have happened or not; ask the data.
    case commitUnknown
    /// COMMIT was answered with ROLLBACK: a statement had failed and the body went on.
    case rolledBack
    /// A result is not what the code expects.
    case decoding(String)
    /// No server could be reached before the deadline, and the last reason.
    case unreachable(String)
    /// The pool was closed.
    case closed
}

extension PostgresError {
    /// Nil for whatever the server did not report.
    public var sqlState: String? { report?.sqlState }

    /// The name of the violated constraint.
    public var constraint: String? { report?.constraint }

    /// The server's words, if it is the server that refused.
    public var report: ServerReport? {
        if case .server(let report) = self { report } else { nil }
    }

    /// A unique index or a primary key has the row already (SQLSTATE 23505).
    public var isUniqueViolation: Bool { sqlState == "23505" }
    /// A row that is referred to is not there, or one that is referred to would go (23503).
    public var isForeignKeyViolation: Bool { sqlState == "23503" }
    /// Serialization failure or deadlock: the same transaction may succeed when run again.
    public var isSerializationFailure: Bool { sqlState == "40001" || sqlState == "40P01" }

    /// The role may not do this, or row-level security does not show it the row (SQLSTATE 42501).
    public var isRefused: Bool { sqlState == "42501" }

    /// The database cannot serve now, and asking again later makes sense (HTTP 503).
    public var isUnavailable: Bool {
        switch self {
        case .connectionLost, .timeout, .poolTimeout, .commitUnknown, .unreachable, .closed: true
        case .rolledBack, .decoding: false
        case .server(let report):
            report.meansServerIsGone || report.meansStatementIsStale
                || report.sqlState.hasPrefix("53") || report.sqlState == "57014"
        }
    }

    /// A word for metrics: the SQLSTATE, or what happened instead of one.
    public var code: String {
        switch self {
        case .server(let report): report.sqlState
        case .connectionLost: "connection_lost"
        case .timeout: "timeout"
        case .poolTimeout: "pool_timeout"
        case .commitUnknown: "commit_unknown"
        case .rolledBack: "rolled_back"
        case .decoding: "decoding"
        case .unreachable: "unreachable"
        case .closed: "closed"
        }
    }

    /// The whole pool has to find the primary anew.
    var meansServerIsGone: Bool {
        switch self {
        case .server(let report): report.meansServerIsGone
        case .connectionLost: true
        default: false
        }
    }
}

extension PostgresError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .server(let report): report.safeDescription
        case .connectionLost(let words): "connection to the database lost: \(words)"
        case .timeout: "the database did not answer in time"
        case .poolTimeout: "no database connection became free in time"
        case .commitUnknown: "COMMIT was sent but not answered: its outcome is unknown"
        case .rolledBack: "the transaction was rolled back by the server"
        case .decoding(let words): "unexpected result: \(words)"
        case .unreachable(let words): "database unreachable: \(words)"
        case .closed: "the connection pool is closed"
        }
    }
}
