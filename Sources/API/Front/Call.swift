public import HTTPServer
import Jobs
public import Runtime
public import Values

/// One request on its way through its endpoint.
public struct Call: Sendable {
    public let request: HTTPRequest
    /// Method and path pattern.
    public let route: String
    /// What stood in the places of the path.
    public let path: PathValues
    public let query: QueryValues
    public let body: Body
    /// The client's address, behind the proxies that are trusted.
    public let address: String
    public let requestID: String
    public let trace: TraceContext?
    /// Until when the database must have answered.
    public internal(set) var deadline: Deadline
    /// The time at which the request came.
    public let now: Timestamp

    let credential: PresentedToken?
    let queryFault: Problem?
    let pageResult: Result<PageQuery, Problem>?
    let notes: CallNotes
    let services: Services

    /// The part of the list that is asked for, of an endpoint that is paged.
    public var page: PageQuery {
        get throws(Problem) {
            guard let pageResult else { throw Problem(.invalidCursor) }
            return try pageResult.get()
        }
    }

    /// What counts as one client: the address, or the /64 of an IPv6 one.
    public var network: String { IPAddress(address)?.network ?? address }

    /// The log with the request's ids in each record.
    public var log: Log {
        services.log.from(JobOrigin(requestID: requestID, traceID: trace?.id))
    }

    /// What jobs that follow from the request carry on: nil where the caller gave neither an id nor
    /// a trace, and knows the request by nothing that is worth carrying.
    var origin: JobOrigin? {
        guard trace != nil || request.headers["X-Request-Id"] == requestID else { return nil }
        return JobOrigin(requestID: requestID, traceID: trace?.id)
    }

    /// Counts against a limit of the caller's; the answer's headers tell how much is left.
    ///
    /// - Throws: 429 when nothing is.
    public func charge(_ policy: RatePolicy, to subject: UUID, cost: Int = 1) throws(Problem) {
        guard let decision = services.rates.take(policy, of: subject.bytes, cost: cost) else {
            return
        }
        notes.state.withLock { $0.rate = decision }
        guard decision.isAllowed else {
            throw Problem(.rateLimited, retryAfter: decision.retryAfter)
        }
    }

    /// The limit on requests, once a request.
    func chargeRequest(to subject: UUID) throws(Problem) {
        let isFirst = notes.state.withLock { state in
            defer { state.isCharged = true }
            return !state.isCharged
        }
        if isFirst { try charge(services.limits.requests, to: subject) }
    }

    /// What is wrong with the request itself, told only to those who may call.
    func checkForm() throws(Problem) {
        if let queryFault { throw queryFault }
        _ = try pageResult?.get()
        _ = try body.value
    }
}

/// What is learned about a request while it is answered.
final class CallNotes: Sendable {
    struct State {
        var rate: RateDecision?
        var isCharged = false
    }

    let state = Lock(State())
}
