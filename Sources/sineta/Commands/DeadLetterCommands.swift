import API
import Jobs
import Postgres
import Runtime
import Storage
import Values

extension Command {
    private static let ids = Option(
        name: "--id", value: "ID,…", help: "those jobs, in the place of a reason")
    private static let dryRun = Option(
        name: "--dry-run", help: "only tell what would happen")

    static let jobsRetry = Command(
        name: "jobs retry", summary: "puts jobs that were given up back to work",
        discussion: """
            Only what was never accepted is retried; what is stale or has no device any more ends as such
            without being sent. --reason or --id says which.
            """,
        options: [JobsOptions.reason, JobsOptions.kind, JobsOptions.store, ids, dryRun],
        run: { invocation in
            try await DeadLetterWalk(invocation).run("retrying", "retried", .retried) {
                numbers, isDry, transaction in
                try DeadLetterActs.retry(numbers, isDry: isDry, in: transaction)
            }
        })

    static let jobsDiscard = Command(
        name: "jobs discard", summary: "gives jobs up for good",
        discussion: "It writes their end. The note goes into the audit log.",
        options: [
            JobsOptions.reason, JobsOptions.kind, JobsOptions.store, ids,
            Option(name: "--note", value: "TEXT", help: "why; required"), dryRun,
        ],
        run: { invocation in
            guard let note = invocation.value("--note") else {
                throw CommandFault(.usage, "jobs discard wants --note TEXT: why are they given up?")
            }
            if let fault = GivenText.note.fault(in: note) {
                throw CommandFault(.usage, "--note \(fault)")
            }
            return try await DeadLetterWalk(invocation).run("discarding", "discarded", .discarded) {
                numbers, isDry, transaction in
                try DeadLetterActs.giveUp(numbers, isDry: isDry, in: transaction)
            }
        })

    static let jobsExport = Command(
        name: "jobs export", summary: "writes the jobs that were given up, one JSON object a line",
        discussion: "Ids, reasons and attempts; never what a push would have said.",
        options: [
            JobsOptions.reason, JobsOptions.kind, JobsOptions.store,
            Option(name: "--file", value: "FILE", help: "(default: standard output)"),
        ],
        run: { invocation in
            try await DeadLetterExport(invocation).run()
        })
}

/// Goes through the dead letters that somebody chose, a batch and a transaction at a time: what is
/// done stays done when it is interrupted, and no transaction holds the queue for long.
struct DeadLetterWalk: Sendable {
    static let batch = 1000

    private let options: JobsOptions
    private let jobs: [JobID]?
    private let isDry: Bool
    private let note: String?

    init(_ invocation: Invocation) throws {
        options = try JobsOptions(invocation)
        isDry = invocation.has("--dry-run")
        note = invocation.value("--note")
        jobs = try invocation.value("--id").map { text in
            try text.split(separator: ",").map { id in
                guard let job = JobID(String(id)) else {
                    throw CommandFault(.usage, "an ID is a UUID, as sineta jobs dead prints it")
                }
                return job
            }
        }
        guard (jobs == nil) != (options.filter.reason == nil) else {
            throw CommandFault(.usage, "say which: either --reason WORD or --id ID,…")
        }
    }

    /// - Parameters:
    ///   - words: of the bar.
    ///   - done: of the report.
    func run(
        _ words: String, _ done: String, _ act: DeadLetterActs.Act,
        _ body:
            @escaping @Sendable ([Int64], Bool, PostgresTransaction) throws -> DeadLetterTally
    ) async throws -> ExitCode {
        let total = try await count()
        var progress = Progress(words, total: total)
        var tally = DeadLetterTally()
        var last: Int64 = 0
        while true {
            let from = last
            let (end, part) = try await options.database.run { transaction in
                let chosen = try numbers(after: from, in: transaction)
                let part = try body(chosen, isDry, transaction)
                try record(act, part, in: transaction)
                return (chosen.last, part)
            }
            tally.add(part)
            progress.show(tally.found)
            guard let end, jobs == nil else { break }
            last = end
        }
        progress.end()
        Terminal.line(Self.report(tally, isDry ? nil : done))
        return .done
    }

    /// `3 found: 1 live, 1 stale, 1 without device, 0 accepted; 3 retried`
    static func report(_ tally: DeadLetterTally, _ done: String?) -> String {
        "\(tally.found) found: \(tally.live) live, \(tally.stale) stale, "
            + "\(tally.noDevice) without device, \(tally.accepted) accepted; "
            + (done.map { "\(tally.changed) \($0)" } ?? "nothing changed")
    }

    private func count() async throws -> Int {
        if let jobs { return jobs.count }
        return try await options.database.run { [options] transaction in
            try JobQueue.deadCount(options.filter, in: transaction)
        }
    }

    private func numbers(
        after last: Int64, in transaction: PostgresTransaction
    ) throws(PostgresError) -> [Int64] {
        if let jobs { return try JobQueue.deadNumbers(of: jobs, in: transaction) }
        return try JobQueue.deadNumbers(
            options.filter, after: last, limit: Self.batch, in: transaction)
    }

    private func record(
        _ act: DeadLetterActs.Act, _ tally: DeadLetterTally, in transaction: PostgresTransaction
    ) throws(PostgresError) {
        if isDry { return }
        try DeadLetterActs.record(
            act, tally, actor: "cli", subject: options.filter.reason ?? "\(jobs?.count ?? 0) ids",
            jobs: jobs ?? [], note: note, in: transaction)
    }
}
