public import JSON
public import Runtime

/// The request that a job follows from, by the ids that its caller gave: they stand in the job's
/// arguments and come back in what a worker logs about it
/// (ops/decisions/0019-the-ids-of-a-request-travel-in-the-arguments.md).
public struct JobOrigin: Sendable, Equatable {
    /// The id of the request (`X-Request-Id`).
    public let requestID: String
    /// That of the trace it belongs to (`traceparent`), if it does.
    public let traceID: String?

    private static let requestKey = "request_id"
    private static let traceKey = "trace_id"

    public init(requestID: String, traceID: String?) {
        self.requestID = requestID
        self.traceID = traceID
    }

    /// Reads a job's arguments. Nil where they name no request.
    public init?(_ args: JSONValue) {
        guard let requestID = args[Self.requestKey]?.text else { return nil }
        self.init(requestID: requestID, traceID: args[Self.traceKey]?.text)
    }

    /// Adds the ids to the arguments of a job.
    public func write(to args: inout JSONObject) {
        args[Self.requestKey] = .text(requestID)
        args[Self.traceKey] = traceID.map { .text($0) }
    }

    /// Arguments that hold nothing else.
    public var args: [UInt8] {
        var args = JSONObject()
        write(to: &args)
        return JSONValue.object(args).encoded
    }
}

extension ClaimedJob {
    /// The request that it follows from. Reads the arguments: for log lines, not for every job.
    public var origin: JobOrigin? {
        args.flatMap { try? JSONValue.parse($0) }.flatMap { JobOrigin($0) }
    }
}

extension Log {
    /// How many ids a line names.
    private static let most = 10

    /// The same log with what identifies a job: its id, what it is about (the alert of a push and
    /// of what decides one) and the request that it follows from.
    public func about(_ job: ClaimedJob) -> Log {
        var log = with(["job": .id(job.id)])
        if let subject = job.subject { log = log.with(["alert": .id(subject)]) }
        return log.from(job.origin)
    }

    /// The same with the ids of a request, where one is known.
    public func from(_ origin: JobOrigin?) -> Log {
        guard let origin else { return self }
        let log = with(["request_id": .text(origin.requestID)])
        return origin.traceID.map { log.with(["trace_id": .text($0)]) } ?? log
    }

    /// The same with the first ten of a batch and how many they are; one alone is named as above.
    public func about(_ jobs: [ClaimedJob]) -> Log {
        if jobs.count == 1, let job = jobs.first { return about(job) }
        let first = jobs.prefix(Self.most)
        var log = with(["jobs": .count(jobs.count), "job_ids": .ids(first.map { "\($0.id)" })])
        let alerts = first.compactMap { $0.subject.map { "\($0)" } }
        if !alerts.isEmpty { log = log.with(["alerts": .ids(alerts)]) }
        let origins = first.compactMap(\.origin)
        guard !origins.isEmpty else { return log }
        log = log.with(["request_ids": .ids(origins.map(\.requestID))])
        let traces = origins.compactMap(\.traceID)
        return traces.isEmpty ? log : log.with(["trace_ids": .ids(traces)])
    }
}

extension LogValue {
    /// Each once, with a space between two.
    fileprivate static func ids(_ ids: [String]) -> LogValue {
        var seen: Set<String> = []
        return .text(ids.filter { seen.insert($0).inserted }.joined(separator: " "))
    }
}
