import CPostgres
import Glibc
import Runtime
import Values

/// One libpq connection. It belongs to one thread at a time and every call ends by its deadline.
///
/// libpq runs non-blocking and in pipeline mode throughout; what waits is poll(2) here
/// (https://www.postgresql.org/docs/15/libpq-async.html).
final class Connection {
    let pointer: OpaquePointer
    let notices: NoticeBox
    /// Which of the configured hosts this is.
    let host: Int
    let statementTimeout: Duration
    /// Nil behind a transaction pooler, where a prepared statement of ours may not be there.
    var statements: StatementCache?

    /// The pool's generation in which it was made.
    var generation = 0
    /// Nothing can be asked of it any more.
    private(set) var isBroken = false
    /// It still answers, and should be replaced when what runs on it has ended.
    var isRetired = false
    /// An answer, or the lack of one, said that the server is gone or is no primary.
    var sawServerGone = false
    /// A deadline passed while the server had something to answer.
    private(set) var hasTimedOut = false
    private(set) var lastAnswer = ContinuousClock.now

    init(
        _ pointer: OpaquePointer, notices: NoticeBox, host: Int,
        configuration: PostgresConfiguration
    ) {
        self.pointer = pointer
        self.notices = notices
        self.host = host
        statementTimeout = configuration.statementTimeout
        statements = configuration.pooler == .none ? StatementCache() : nil
    }

    deinit {
        // PQfinish says goodbye politely; on a dead peer that must not wait for anything.
        if isBroken { shutdown(PQsocket(pointer), Int32(SHUT_RDWR)) }
        PQfinish(pointer)
    }

    var isIdle: Bool { PQtransactionStatus(pointer) == PQTRANS_IDLE }

    /// Gives the connection up.
    func breakOff() { isBroken = true }

    func answered() { lastAnswer = .now }

    var lostError: PostgresError {
        .connectionLost(ErrorText.firstLine(PQerrorMessage(pointer)))
    }

    func lose() -> PostgresError {
        isBroken = true
        sawServerGone = true
        return lostError
    }

    /// Ends the connection because the deadline has passed. A COMMIT is never cancelled: it may be
    /// waiting for a standby, and a cancel would make it succeed here and not there.
    func expire(cancelling: Bool) -> PostgresError {
        isBroken = true
        hasTimedOut = true
        if cancelling { Canceller.shared.cancel(pointer) }
        return .timeout
    }

    /// Waits until the socket can be read (or written), or `deadline`.
    ///
    /// - Returns: which of the two it can, or nil when the deadline has passed.
    func poll(read: Bool, write: Bool, until deadline: Deadline) -> (read: Bool, write: Bool)? {
        var entry = pollfd(
            fd: PQsocket(pointer),
            events: Int16((read ? POLLIN : 0) | (write ? POLLOUT : 0)), revents: 0)
        while true {
            let count = Glibc.poll(&entry, 1, deadline.pollMilliseconds)
            if count > 0 {
                let broken = Int32(entry.revents) & (POLLERR | POLLHUP | POLLNVAL) != 0
                return (
                    broken || Int32(entry.revents) & POLLIN != 0,
                    Int32(entry.revents) & POLLOUT != 0
                )
            }
            if count == 0 { return nil }
            // A signal came between; the time left is asked for anew.
            if errno != EINTR { return (true, true) }
        }
    }
}

enum ErrorText {
    /// libpq's words on one line.
    static func firstLine(_ words: UnsafePointer<CChar>?) -> String {
        let text = words.map { String(cString: $0) } ?? ""
        let lines = text.split { $0 == "\n" || $0 == "\r\n" }.map { line in
            String(line.drop { $0 == "\t" || $0 == " " })
        }
        return lines.isEmpty ? "no reason given" : lines.joined(separator: "; ")
    }
}
