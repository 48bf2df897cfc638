import Alerts
import JSON
import Jobs
import Postgres
import Runtime
import Storage
import Values

/// What operators see at a glance, as it was at one moment.
struct OverviewReading: Sendable {
    let depths: [QueueDepth]
    let throughput: [Throughput]
    let lanes: [Lane]
    let states: [Credential: Jobs.LaneState]

    /// The counts read the head of the queue, so they are given little time: an overview that says
    /// 503 is better than one that holds a connection.
    static let patience = Duration.seconds(3)

    init(_ transaction: PostgresTransaction) throws(PostgresError) {
        try Overview.bound(Self.patience, in: transaction)
        depths = try Overview.depths(in: transaction)
        throughput = try Overview.throughput(in: transaction)
        lanes = try JobQueue.lanes(in: transaction)
        states = Dictionary(
            try JobQueue.states(in: transaction).map { ($0.credential, $0) }
        ) { first, _ in first }
    }

    static let shape = Shape.named(
        "Overview",
        .object([
            .required(
                "jobs",
                .list(
                    of: .object([
                        .required("kind", .text), .required("lane", .text),
                        .required("ready", .integer), .required("scheduled", .integer),
                        .required("leased", .integer), .required("dead", .integer),
                        .required("oldest_due_seconds", .nullable(.number)),
                    ]))),
            .required("accepted_per_second", rates),
            .required(
                "accepted_by_provider",
                .map(keys: TextRule(length: 1...100), values: rates, count: 0...100)),
            .required("lanes", .list(of: lane)),
        ]))

    private static let rates = Shape.object([.required("1m", .number), .required("5m", .number)])

    private static let lane = Shape.object(
        [.required("lane", .text), .required("provider", .text)] + LaneStateShape.fields)

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("jobs")
        writer.beginArray()
        for depth in depths { Self.write(depth, to: &writer) }
        writer.endArray()
        writer.key("accepted_per_second")
        Self.write(
            minute: throughput.reduce(0) { $0 + $1.lastMinute },
            fiveMinutes: throughput.reduce(0) { $0 + $1.lastFiveMinutes }, to: &writer)
        writer.key("accepted_by_provider")
        writer.beginObject()
        for each in throughput {
            writer.key(each.provider)
            Self.write(minute: each.lastMinute, fiveMinutes: each.lastFiveMinutes, to: &writer)
        }
        writer.endObject()
        writer.key("lanes")
        writer.beginArray()
        // Lanes without a credential cannot be closed.
        for lane in lanes where !lane.credential.name.isEmpty {
            writer.beginObject()
            writer.member("lane", lane.name)
            writer.member("provider", lane.credential.name)
            LaneStateShape.write(states[lane.credential], to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }

    private static func write(_ depth: QueueDepth, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("kind", depth.kind)
        writer.member("lane", depth.lane)
        writer.member("ready", depth.ready)
        writer.member("scheduled", depth.scheduled)
        writer.member("leased", depth.leased)
        writer.member("dead", depth.dead)
        writer.key("oldest_due_seconds")
        if let seconds = depth.oldestDueSeconds {
            writer.real((seconds * 1000).rounded() / 1000)
        } else {
            writer.null()
        }
        writer.endObject()
    }

    private static func write(
        minute: Int, fiveMinutes: Int, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.key("1m")
        writer.real(Double(minute) / 60)
        writer.key("5m")
        writer.real(Double(fiveMinutes) / 300)
        writer.endObject()
    }
}

/// How a credential stands, wherever it is shown.
enum LaneStateShape {
    static let fields: [Field] = [
        .required("state", .oneOf(["open", "paused", "broken", "off"])),
        .required("since", .nullable(.time)), .required("reason", .nullable(.text)),
        .required("advice", .nullable(.text)), .required("next_probe_at", .nullable(.time)),
    ]

    /// - Parameter state: nil for one that was never closed.
    static func write(_ state: Jobs.LaneState?, to writer: inout JSONWriter) {
        writer.member("state", (state?.word ?? .open).rawValue)
        writer.member("since", orNull: state?.since.rfc3339)
        writer.member("reason", orNull: state?.reason)
        writer.member("advice", orNull: state?.reason.flatMap { ProviderAdvice.words(for: $0) })
        writer.member("next_probe_at", orNull: state?.nextProbeAt?.rfc3339)
    }
}
