/// Why there is no embedded cluster: one line that says what to do.
public enum ClusterError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No PostgreSQL, or none of the version that the home was made with.
    case binariesMissing(version: String?)
    /// A PostgreSQL server does not run as root, and the user it would run as is not there.
    case userMissing(String)
    /// A folder cannot be made or used.
    case folder(String)
    /// A program of PostgreSQL failed.
    case commandFailed(program: String, words: String, log: String)
    /// The server was started, and does not take connections.
    case notReady(PostgresError, log: String)
    /// Another process is starting or stopping it and does not come to an end.
    case busy

    public var description: String {
        switch self {
        case .binariesMissing(let version?):
            "PostgreSQL \(version) is not installed, and the data was made with it: "
                + "apt-get install postgresql-\(version)"
        case .binariesMissing(nil):
            "PostgreSQL is not installed: apt-get install postgresql, or set DATABASE_URL"
        case .userMissing(let name):
            "there is no user \(name) to run PostgreSQL as: apt-get install postgresql, "
                + "or start as another user than root"
        case .folder(let words): words
        case .commandFailed(let program, let words, let log):
            "\(program) failed (\(words)): see \(log)"
        case .notReady(let error, let log): "PostgreSQL does not answer (\(error)): see \(log)"
        case .busy: "another process is starting or stopping this cluster: try again"
        }
    }
}
