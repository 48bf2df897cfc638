import CPostgres
import Glibc
import Runtime

/// What NOTIFY sent.
struct Notification {
    let topic: String
    let payload: String
}

extension Connection {
    enum Waiting {
        case readable
        case woken
        case silent
    }

    /// Waits for the server or the other descriptor, whichever speaks first.
    func wait(orWokenBy other: Int32, until deadline: Deadline) -> Waiting {
        var entries = [
            pollfd(fd: PQsocket(pointer), events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = Glibc.poll(&entries, 2, deadline.pollMilliseconds)
            if count < 0, errno == EINTR { continue }
            if count == 0 { return .silent }
            return entries[1].revents != 0 ? .woken : .readable
        }
    }

    /// Reads what has come, without waiting.
    func takeInput() throws(PostgresError) {
        guard PQconsumeInput(pointer) == 1 else { throw lose() }
        answered()
    }

    func takeNotifications() -> [Notification] {
        var notes: [Notification] = []
        while let note = PQnotifies(pointer) {
            let topic = String(cString: note.pointee.relname)
            notes.append(
                Notification(topic: topic, payload: String(cString: note.pointee.extra)))
            PQfreemem(note)
        }
        return notes
    }
}
