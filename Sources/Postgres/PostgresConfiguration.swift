import CPostgres
public import Values

/// A connection URI that cannot be used. The words never quote it, since it may hold a password.
public struct PostgresConfigurationFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// One line for the operator.
    public let description: String
}

/// Where the database is and how it is to be treated.
public struct PostgresConfiguration: Sendable {
    /// What stands between this process and the server.
    public enum Pooler: Sendable, Equatable {
        /// Nothing, or a pooler that gives each client a session.
        case none
        /// A pooler that gives each transaction another session (PgBouncer's `transaction`): no
        /// LISTEN, no prepared statements, no session settings.
        case transaction
    }

    /// One server to try, in the order of the URI.
    struct Host: Sendable, Equatable {
        var name: String?
        var address: String?
        var port: String?

        var description: String {
            let place = name ?? address ?? "local socket"
            return port.map { "\(place):\($0)" } ?? place
        }
    }

    let hosts: [Host]
    /// All other parameters by their libpq keyword, the password not among them.
    private(set) var parameters: [String: String]
    private(set) var password: Secret<String>?
    /// The role that every session is in; nil: the user's own.
    private(set) var sessionRole: String?
    /// What a session would have, were there sessions behind a pooler.
    private(set) var transactionSettings: [(name: String, value: String)] = []

    /// How much of a session may be relied on.
    public var pooler: Pooler
    /// What one server may take to answer a connection, before the next is tried.
    public var connectTimeout: Duration = .seconds(3)
    /// What one statement may take, however late the caller's deadline is.
    public var statementTimeout: Duration = .seconds(30)
    /// After what time the server ends a transaction in which nothing happens; nil leaves the
    /// server's own setting.
    public var idleInTransactionTimeout: Duration? = .seconds(30)
    /// Only a server that takes writes will do. Off, any server does.
    public var requiresPrimary = true

    /// Reads a `postgres://` URI, several hosts allowed, or a `key=value` list, as libpq does
    /// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING).
    public init(url: String, pooler: Pooler = .none) throws(PostgresConfigurationFault) {
        var parameters = try Self.parse(url)
        password = parameters.removeValue(forKey: "password").map(Secret.init)
        hosts = try Self.hosts(
            names: parameters.removeValue(forKey: "host"),
            addresses: parameters.removeValue(forKey: "hostaddr"),
            ports: parameters.removeValue(forKey: "port"))
        // These are kept by the pool itself: one host at a time, its own timeout, its own search.
        parameters["connect_timeout"] = nil
        if let wanted = parameters.removeValue(forKey: "target_session_attrs") {
            requiresPrimary = wanted == "read-write" || wanted == "primary"
        }
        self.parameters = parameters
        self.pooler = pooler
    }

    /// As the URI says; nil leaves it to libpq, which takes the user's name.
    public var database: String? { parameters["dbname"] }
    /// Who logs in, as the URI says; nil leaves it to libpq, which takes PGUSER or the name of the
    /// process's own user.
    public var user: String? { parameters["user"] }

    /// The servers, as `host:port`, for messages.
    public var servers: [String] { hosts.map(\.description) }

    /// The same servers, another database.
    public func with(database: String) -> PostgresConfiguration {
        var copy = self
        copy.parameters["dbname"] = database
        return copy
    }

    /// The same servers, as another role.
    public func with(user: String, password: Secret<String>? = nil) -> PostgresConfiguration {
        var copy = self
        copy.parameters["user"] = user
        copy.password = password
        return copy
    }

    /// The same with every session in `role`, of which the user must be a member. Behind a
    /// transaction pooler there are no sessions: there each transaction sets its role itself.
    public func with(role: String) -> PostgresConfiguration {
        guard pooler == .none else { return self }
        var copy = with(setting: "role", role)
        copy.sessionRole = role
        return copy
    }

    /// The same with a setting of the server for every session, behind what the URI's own options
    /// say. Behind a transaction pooler there are no sessions: there `PostgresPool.query(_:as:)`
    /// and `transaction(as:)` set it beside the role.
    ///
    /// - Parameter value: of word characters.
    public func with(setting name: String, _ value: String) -> PostgresConfiguration {
        var copy = self
        guard pooler == .none else {
            copy.transactionSettings.append((name, value))
            return copy
        }
        let options = parameters["options"].map { $0 + " " } ?? ""
        copy.parameters["options"] = "\(options)-c \(name)=\(value)"
        return copy
    }

    /// The same with `application_name`, which `pg_stat_activity` shows.
    public func with(applicationName: String) -> PostgresConfiguration {
        var copy = self
        copy.parameters["application_name"] = applicationName
        return copy
    }
}

extension PostgresConfiguration {
    /// Keywords and values for a connection to one of the hosts.
    func keywords(for host: Host) -> [(String, String)] {
        var pairs = parameters.filter { $0.key != "options" }.map { ($0.key, $0.value) }
        if let name = host.name { pairs.append(("host", name)) }
        if let address = host.address { pairs.append(("hostaddr", address)) }
        if let port = host.port { pairs.append(("port", port)) }
        if let password { pairs.append(("password", password.reveal())) }
        pairs.append(("client_encoding", "UTF8"))
        pairs.append(("fallback_application_name", "sineta"))
        if requiresPrimary { pairs.append(("target_session_attrs", "read-write")) }
        let options = [parameters["options"], sessionOptions].compactMap { $0 }
        if !options.isEmpty { pairs.append(("options", options.joined(separator: " "))) }
        return pairs
    }

    /// A pooler refuses startup options, and would not keep them.
    private var sessionOptions: String? {
        guard pooler == .none, let idleInTransactionTimeout else { return nil }
        let milliseconds = max(1, idleInTransactionTimeout.milliseconds)
        return "-c idle_in_transaction_session_timeout=\(milliseconds)"
    }

    private static func parse(
        _ url: String
    ) throws(PostgresConfigurationFault) -> [String: String] {
        var words: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &words) else {
            // libpq's own words may quote the URI whole.
            PQfreemem(words)
            throw PostgresConfigurationFault(
                description: "is not a PostgreSQL URI, as postgres://user@host:5432/database")
        }
        defer { PQconninfoFree(options) }
        var parameters: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                parameters[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        return parameters
    }

    private static func hosts(
        names: String?, addresses: String?, ports: String?
    ) throws(PostgresConfigurationFault) -> [Host] {
        func split(_ list: String?) -> [String?] {
            guard let list else { return [] }
            return list.split(separator: ",", omittingEmptySubsequences: false).map {
                $0.isEmpty ? nil : String($0)
            }
        }
        let names = split(names)
        let addresses = split(addresses)
        let ports = split(ports)
        let count = max(names.count, addresses.count, 1)
        guard names.isEmpty || names.count == count, addresses.isEmpty || addresses.count == count,
            ports.count <= 1 || ports.count == count
        else {
            throw PostgresConfigurationFault(
                description: "names a different number of hosts and ports")
        }
        return (0..<count).map { index in
            Host(
                name: names.isEmpty ? nil : names[index],
                address: addresses.isEmpty ? nil : addresses[index],
                port: ports.isEmpty ? nil : ports[ports.count == 1 ? 0 : index])
        }
    }
}
