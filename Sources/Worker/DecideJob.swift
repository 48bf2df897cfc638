import Alerts
import JSON
import Jobs
import Storage
import Values

/// A decide job, read: the event that raised the alert, and where a large audience goes on.
struct DecideJob: Sendable {
    /// How far a large audience has come.
    struct Cursor: Sendable, Equatable {
        var after: UserID
        /// The number of the next chunk; the first is 0.
        var part: Int
    }

    let job: ClaimedJob
    let event: Event
    let content: EventContent
    let cursor: Cursor?
    /// The request that brought the event, where its caller gave it an id.
    let origin: JobOrigin?

    /// The member of the event's object that holds the cursor; no event has one of that name.
    private static let cursorKey = "decided_up_to"

    /// Nil for arguments that are no event, or one that raises nothing.
    init?(_ job: ClaimedJob) {
        guard let args = job.args, let value = try? JSONValue.parse(args),
            let event = try? Event.read(value), event.type.alert != nil,
            let content = event.content, job.subject != nil
        else { return nil }
        self.job = job
        self.event = event
        self.content = content
        origin = JobOrigin(value)
        let cursor = value[Self.cursorKey]
        if let after = cursor?["after"]?.text.flatMap({ UserID($0) }),
            let part = cursor?["part"]?.integer
        {
            self.cursor = Cursor(after: after, part: Int(part))
        } else {
            self.cursor = nil
        }
    }

    /// The alert's id, which is the event's.
    var alertID: AlertID { AlertID(job.subject ?? job.id.uuid) }

    var subject: SubjectReference { SubjectReference(content) }

    func request(after: UserID?) -> DecideRequest {
        DecideRequest(store: job.store, content: content, after: after)
    }

    /// The alert with what is kept of its subject; nil only for data that was refused above.
    func alert(_ known: KnownSubject) -> Alert? {
        Alert(
            raisedBy: event, id: alertID, store: job.store, receivedAt: job.raisedAt, known: known)
    }

    /// The job's arguments when the audience goes on behind a member.
    func args(at cursor: Cursor) -> [UInt8] {
        var object = event.json.object ?? JSONObject()
        object[Self.cursorKey] = .object(
            JSONObject([
                ("after", .text(cursor.after.description)), ("part", .integer(Int64(cursor.part))),
            ]))
        origin?.write(to: &object)
        return JSONValue.object(object).encoded
    }
}
