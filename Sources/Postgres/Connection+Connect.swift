import CPostgres
import Runtime

extension Connection {
    /// Tries the hosts in turn, from `first`, until one takes the connection (and writes).
    ///
    /// Each has `connectTimeout`. Looking up a name waits as long as the system's resolver does
    /// (resolv.conf(5)), which is why nobody's work is taken before the connection stands.
    static func open(
        _ configuration: PostgresConfiguration, first: Int = 0, deadline: Deadline
    ) throws(PostgresError) -> Connection {
        var reasons: [String] = []
        for step in 0..<configuration.hosts.count {
            let host = (first + step) % configuration.hosts.count
            let limit = min(deadline, .after(configuration.connectTimeout))
            do throws(PostgresError) {
                return try open(configuration, host: host, deadline: limit)
            } catch {
                guard case .unreachable(let words) = error else { throw error }
                reasons.append(words)
            }
            if deadline.hasPassed { break }
        }
        throw .unreachable(reasons.joined(separator: "; "))
    }

    private static func open(
        _ configuration: PostgresConfiguration, host: Int, deadline: Deadline
    ) throws(PostgresError) -> Connection {
        let server = configuration.hosts[host]
        guard let pointer = start(configuration.keywords(for: server)) else {
            throw .unreachable("\(server.description): out of memory")
        }
        let notices = NoticeBox()
        let connection = Connection(
            pointer, notices: notices, host: host, configuration: configuration)
        notices.attach(to: pointer)
        try connection.finishConnecting(to: server.description, deadline)
        guard PQsetnonblocking(pointer, 1) == 0, PQenterPipelineMode(pointer) == 1 else {
            throw connection.unreachable(server.description)
        }
        connection.answered()
        return connection
    }

    private static func start(_ pairs: [(String, String)]) -> OpaquePointer? {
        let keys = pairs.map { Array($0.0.utf8CString) }
        let values = pairs.map { Array($0.1.utf8CString) }
        return withPointers(keys) { keys in
            withPointers(values) { values in PQconnectStartParams(keys, values, 0) }
        }
    }

    /// The addresses of NUL-terminated texts with a nil behind the last, as execv and libpq like
    /// it.
    private static func withPointers<Result>(
        _ texts: [[CChar]], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        var flat: [CChar] = []
        var offsets: [Int] = []
        for text in texts {
            offsets.append(flat.count)
            flat.append(contentsOf: text)
        }
        return flat.withUnsafeBufferPointer { buffer in
            var pointers: [UnsafePointer<CChar>?] = offsets.map { offset in
                buffer.baseAddress.map { $0 + offset }
            }
            pointers.append(nil)
            return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
        }
    }

    private func finishConnecting(
        to server: String, _ deadline: Deadline
    ) throws(PostgresError) {
        guard PQstatus(pointer) != CONNECTION_BAD else { throw unreachable(server) }
        var wanted = PGRES_POLLING_WRITING
        while wanted != PGRES_POLLING_OK {
            guard wanted != PGRES_POLLING_FAILED else { throw unreachable(server) }
            let reading = wanted == PGRES_POLLING_READING
            guard poll(read: reading, write: !reading, until: deadline) != nil else {
                breakOff()
                throw .unreachable("\(server): no answer in time")
            }
            wanted = PQconnectPoll(pointer)
        }
    }

    private func unreachable(_ server: String) -> PostgresError {
        breakOff()
        return .unreachable(ErrorText.firstLine(PQerrorMessage(pointer)))
    }
}
