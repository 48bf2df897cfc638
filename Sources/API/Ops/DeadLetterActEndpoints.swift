import Alerts
import JSON
import Jobs
import Postgres
import Storage
import Values

/// The jobs that were given up: putting them back to work, or giving them up for good.
enum DeadLetterActEndpoints {
    static let endpoints = [retry, discard]

    /// So many at a time: the act and its line in the audit log are one transaction, which has to
    /// end within a request.
    static let batch = 10_000

    private static let tally = Shape.named(
        "DeadLetterTally",
        .object([
            .required("dry_run", .bool), .required("found", .integer),
            .required("live", .integer), .required("stale", .integer),
            .required("no_device", .integer), .required("accepted", .integer),
            .required("done", .integer), .required("remaining", .integer),
        ]))

    private static let selection: [Field] = [
        .optional("ids", .list(of: .uuid, count: 1...1000)), .optional("reason", .text(1...200)),
        .optional("store_id", .uuid), .optional("dry_run", .bool),
    ]

    private static let retry = Endpoint(
        .post, "/v1/ops/dead-letters/retry",
        "Puts dead letters back to work: those with the `ids`, or the oldest \(batch) of a `reason` "
            + "(`remaining` tells how many of it are left). Only what was never accepted is retried; "
            + "what is stale or has no device any more ends as such without being sent.",
        access: Access(.operators), body: BodyShape(.object(selection)),
        responses: [Response(200, "What it met and did.", tally)], isIdempotent: true
    ) { call, caller, transaction in
        let choice = try Choice(call.body)
        let numbers = try choice.numbers(in: transaction)
        let tally = try DeadLetterActs.retry(numbers, isDry: choice.isDry, in: transaction)
        try choice.audit(.retried, tally, caller, nil, in: transaction)
        return try answer(choice, tally, in: transaction)
    }

    private static let discard = Endpoint(
        .post, "/v1/ops/dead-letters/discard",
        "Gives dead letters up for good, which writes their end; chosen as for a retry. The note "
            + "goes into the audit log.",
        access: Access(.operators),
        body: BodyShape(.object(selection + [.required("note", GivenText.note.shape)])),
        responses: [Response(200, "What it met and did.", tally)], isIdempotent: true
    ) { call, caller, transaction in
        let choice = try Choice(call.body)
        let note = try call.body.text("note")
        let numbers = try choice.numbers(in: transaction)
        let tally = try DeadLetterActs.giveUp(numbers, isDry: choice.isDry, in: transaction)
        try choice.audit(.discarded, tally, caller, note, in: transaction)
        return try answer(choice, tally, in: transaction)
    }

    private static func answer(
        _ choice: Choice, _ tally: DeadLetterTally, in transaction: PostgresTransaction
    ) throws -> Answer {
        let left = try choice.remaining(beyond: tally, in: transaction)
        return .json(200) { writer in
            writer.beginObject()
            writer.member("dry_run", choice.isDry)
            writer.member("found", tally.found)
            writer.member("live", tally.live)
            writer.member("stale", tally.stale)
            writer.member("no_device", tally.noDevice)
            writer.member("accepted", tally.accepted)
            writer.member("done", tally.changed)
            writer.member("remaining", left)
            writer.endObject()
        }
    }
}

/// Which dead letters an act is about.
private struct Choice {
    private enum Selection {
        case ids([JobID])
        case filter(DeadLetterFilter)
    }

    let isDry: Bool
    private let selection: Selection

    init(_ body: Body) throws(Problem) {
        let value = try body.value
        isDry = value["dry_run"]?.bool ?? false
        let ids = value["ids"]?.array
        let reason = value["reason"]?.text
        switch (ids, reason) {
        case (let ids?, nil):
            selection = .ids(ids.compactMap { $0.text.flatMap { JobID($0) } })
        case (nil, let reason?):
            let store = value["store_id"]?.text.flatMap { StoreID($0) }
            selection = .filter(DeadLetterFilter(reason: reason, store: store))
        case (nil, nil): throw .invalid("/ids", .required, "is required where there is no reason")
        case (_?, _?): throw .invalid("/reason", .notAllowed, "must not stand beside ids")
        }
    }

    func numbers(in transaction: PostgresTransaction) throws(PostgresError) -> [Int64] {
        switch selection {
        case .ids(let ids): try JobQueue.deadNumbers(of: ids, in: transaction)
        case .filter(let filter):
            try JobQueue.deadNumbers(
                filter, limit: DeadLetterActEndpoints.batch, in: transaction)
        }
    }

    /// How many of the reason are beyond those that the act is about.
    func remaining(
        beyond tally: DeadLetterTally, in transaction: PostgresTransaction
    ) throws(PostgresError) -> Int {
        guard case .filter(let filter) = selection else { return 0 }
        let count = try JobQueue.deadCount(filter, in: transaction)
        return max(0, count - (tally.found - tally.changed))
    }

    /// A dry run leaves no line.
    func audit(
        _ act: DeadLetterActs.Act, _ tally: DeadLetterTally, _ caller: Caller, _ note: String?,
        in transaction: PostgresTransaction
    ) throws(PostgresError) {
        if isDry { return }
        try DeadLetterActs.record(
            act, tally, actor: caller.id.description, subject: subject, jobs: ids, note: note,
            in: transaction)
    }

    private var ids: [JobID] {
        if case .ids(let ids) = selection { ids } else { [] }
    }

    private var subject: String {
        switch selection {
        case .ids(let ids): ids.count == 1 ? ids[0].description : "\(ids.count) ids"
        case .filter(let filter): filter.reason ?? "all"
        }
    }
}
