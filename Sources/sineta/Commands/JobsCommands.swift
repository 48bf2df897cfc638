import Alerts
import Jobs
import Postgres
import Runtime
import Storage
import Values

extension Command {
    static let jobsList = Command(
        name: "jobs list", summary: "lists jobs in the queue, those that wait longest first",
        options: [
            Option(name: "--state", value: "STATE", help: "ready, scheduled or leased"),
            JobsOptions.kind, JobsOptions.store, JobsOptions.limit,
        ],
        run: { invocation in
            let options = try JobsOptions(invocation)
            let state = try invocation.value("--state").map { word in
                guard let state = JobLine.State(rawValue: word) else {
                    throw CommandFault(.usage, "STATE is ready, scheduled or leased")
                }
                return state
            }
            let (lines, lanes) = try await options.database.run { transaction in
                try Overview.bound(.seconds(20), in: transaction)
                let lines = try JobQueue.list(
                    state: state, kind: options.filter.kind, store: options.filter.store,
                    limit: options.limit, in: transaction)
                return (lines, try JobQueue.lanes(in: transaction))
            }
            let names = Dictionary(lanes.map { ($0.id, $0.name) }) { first, _ in first }
            var table = Table("ID", "KIND", "LANE", "STORE", "STATE", "ATTEMPTS", "SINCE", "ERROR")
            for line in lines {
                table.add(
                    "\(line.id)", line.kind, names[line.lane] ?? "\(line.lane)", "\(line.store)",
                    line.state.rawValue, "\(line.attempts)", line.createdAt.rfc3339,
                    line.lastError ?? "")
            }
            Terminal.write(table.isEmpty ? "no jobs\n" : table.text)
            return .done
        })

    static let jobsStats = Command(
        name: "jobs stats", summary: "tells how full the queue is, and which lanes are closed",
        discussion: "A figure stops at \(Overview.countLimit).",
        run: { invocation in
            let database = try OperatorDatabase(try Configuration(invocation.environment))
            let (depths, throughput, states) = try await database.run { transaction in
                try Overview.bound(.seconds(20), in: transaction)
                return (
                    try Overview.depths(in: transaction), try Overview.throughput(in: transaction),
                    try JobQueue.states(in: transaction)
                )
            }
            Terminal.write(JobsStats(depths, throughput, states).text)
            return .done
        })

    static let jobsDead = Command(
        name: "jobs dead", summary: "shows the jobs that were given up",
        discussion: """
            Without options it counts them by reason and says what to do; with one it lists them, the
            newest first.
            """,
        options: [JobsOptions.reason, JobsOptions.kind, JobsOptions.store, JobsOptions.limit],
        run: { invocation in
            let options = try JobsOptions(invocation)
            Terminal.write(
                options.isNarrowed
                    ? try await DeadTables.lines(options) : try await DeadTables.counts(options))
            return .done
        })
}

/// The options that the commands about jobs share.
struct JobsOptions: Sendable {
    static let reason = Command.Option(
        name: "--reason", value: "WORD", help: "only those that died so")
    static let kind = Command.Option(
        name: "--kind", value: "KIND", help: "only jobs of one kind, as push.deliver")
    static let store = Command.Option(
        name: "--store", value: "ID", help: "only those of one store")
    static let limit = Command.Option(
        name: "--limit", value: "N", help: "at most so many (default: 50)")

    let database: OperatorDatabase
    let filter: DeadLetterFilter
    let limit: Int
    /// Whether any of them was given.
    let isNarrowed: Bool

    init(_ invocation: Invocation) throws {
        let store = try invocation.value("--store").map { text in
            guard let store = StoreID(text) else {
                throw CommandFault(.usage, "the ID of a store is a UUID")
            }
            return store
        }
        filter = DeadLetterFilter(
            reason: invocation.value("--reason"), store: store, kind: invocation.value("--kind"))
        let limit = Int(invocation.value("--limit") ?? "50")
        guard let limit, limit > 0 else {
            throw CommandFault(.usage, "N is a number above zero")
        }
        self.limit = limit
        isNarrowed = ["--reason", "--store", "--kind", "--limit"].contains(where: invocation.has)
        database = try OperatorDatabase(try Configuration(invocation.environment))
    }
}

/// The report of `jobs stats`.
struct JobsStats {
    let text: String

    init(_ depths: [QueueDepth], _ throughput: [Throughput], _ states: [Jobs.LaneState]) {
        var table = Table("LANE", "KIND", "READY", "SCHEDULED", "LEASED", "DEAD", "OLDEST DUE")
        for depth in depths {
            table.add(
                depth.lane, depth.kind, "\(depth.ready)", "\(depth.scheduled)", "\(depth.leased)",
                "\(depth.dead)", depth.oldestDueSeconds.map { "\(Int($0)) s" } ?? "")
        }
        var text = table.isEmpty ? "the queue is empty\n" : table.text
        for each in throughput {
            text +=
                "\(each.provider): \(each.lastMinute) accepted in the last minute, "
                + "\(each.lastFiveMinutes) in five\n"
        }
        for state in states where state.word != .open {
            let reason = state.reason ?? "no reason"
            text += "\(state.credential) is \(state.word.rawValue) since \(state.since.rfc3339): "
            text += reason
            text += ProviderAdvice.words(for: reason).map { "; \($0)\n" } ?? "\n"
        }
        self.text = text
    }
}

/// The reports of `jobs dead`.
enum DeadTables {
    static func counts(_ options: JobsOptions) async throws -> String {
        let counts = try await options.database.run { transaction in
            try JobQueue.deadCounts(in: transaction).map {
                (kind: $0.kind, reason: $0.reason, count: $0.count)
            }
        }
        var table = Table("COUNT", "KIND", "REASON", "WHAT TO DO")
        for count in counts {
            table.add(
                "\(count.count)", count.kind, count.reason,
                ProviderAdvice.words(for: count.reason) ?? "")
        }
        return table.isEmpty ? "no dead letters\n" : table.text
    }

    static func lines(_ options: JobsOptions) async throws -> String {
        let (letters, fates) = try await options.database.run { transaction in
            let letters = try JobQueue.deadLetters(
                options.filter, before: nil, limit: options.limit, in: transaction)
            return (
                letters, try DeadLetterActs.assess(letters.map(\.number), in: transaction)
            )
        }
        let byNumber = Dictionary(fates.map { ($0.number, $0.fate) }) { first, _ in first }
        var table = Table("ID", "KIND", "REASON", "ATTEMPTS", "DIED", "A RETRY FINDS IT")
        for letter in letters {
            table.add(
                "\(letter.id)", letter.kind, letter.reason, "\(letter.attempts)",
                letter.buriedAt.rfc3339, byNumber[letter.number]?.words ?? "gone")
        }
        return table.isEmpty ? "no dead letters\n" : table.text
    }
}

extension AssessedLetter.Fate {
    fileprivate var words: String {
        switch self {
        case .accepted: "accepted"
        case .stale: "stale"
        case .noDevice: "without device"
        case .live: "live"
        }
    }
}
