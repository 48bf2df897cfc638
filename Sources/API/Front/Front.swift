public import HTTPServer
import Jobs
import Postgres
import Runtime
import Values

/// Takes requests in, finds their endpoint, holds them against its declaration, and puts on the
/// answers what all have in common.
public struct Front: Sendable {
    /// How long an answer may take, the database included: an answer of 503 comes within five
    /// seconds.
    static let patience: Duration = .milliseconds(4500)

    let services: Services
    private let patience: Duration
    private let router: Router
    private let proxies: TrustedProxies
    private let cors: CORS
    private let inspect: (@Sendable (Endpoint, Result<Answer, Problem>) -> Void)?

    public init(
        _ endpoints: [Endpoint], services: Services, proxies: TrustedProxies, cors: CORS
    ) {
        self.init(
            endpoints, services: services, proxies: proxies, cors: cors, inspecting: nil)
    }

    /// - Parameters:
    ///   - patience: how long an answer may take, the database included.
    ///   - inspect: sees every answer beside its declaration; for tests.
    init(
        _ endpoints: [Endpoint], services: Services, proxies: TrustedProxies, cors: CORS,
        patience: Duration = Front.patience,
        inspecting inspect: (@Sendable (Endpoint, Result<Answer, Problem>) -> Void)?
    ) {
        self.services = services
        self.patience = patience
        self.proxies = proxies
        self.cors = cors
        router = Router(endpoints)
        self.inspect = inspect
    }

    /// Answers a request; every fault becomes an answer too.
    public func answer(_ request: HTTPRequest) async -> HTTPResponse {
        let requestID = RequestID.of(request.head)
        let notes = CallNotes()
        var response = await respond(request, requestID, notes)
        if let rate = notes.state.withLock({ $0.rate }) {
            response.headers.set("RateLimit-Policy", rate.policy.header)
            response.headers.set("RateLimit", rate.header)
        }
        dress(&response, request.head, requestID)
        return response
    }

    /// The answer to a body of which more comes than is read.
    public func tooLarge(_ head: HTTPRequestHead, limit: Int) -> HTTPResponse {
        let requestID = RequestID.of(head)
        var response = Problem(.bodyTooLarge, "At most \(limit) bytes are read.").response(
            requestID: requestID, route: "body_too_large")
        dress(&response, head, requestID)
        return response
    }

    private func dress(
        _ response: inout HTTPResponse, _ head: HTTPRequestHead, _ requestID: String
    ) {
        response.headers.set("X-Request-Id", requestID)
        if let trace = head.headers["traceparent"].flatMap(TraceContext.init) {
            response.headers.set("traceparent", trace.header)
        }
        SecurityHeaders.apply(to: &response)
        cors.apply(to: &response, head)
    }

    private func respond(
        _ request: HTTPRequest, _ requestID: String, _ notes: CallNotes
    ) async -> HTTPResponse {
        if request.method == "OPTIONS", request.path == "*" {
            return HTTPResponse(status: 204, route: "OPTIONS *")
        }
        switch router.match(request.method, request.path) {
        case .none:
            return Problem(.notFound).response(requestID: requestID, route: "none")
        case .otherMethods(let methods):
            return otherMethod(request, methods.joined(separator: ", "), requestID)
        case .endpoint(let endpoint, let values):
            return await respond(request, endpoint, values, requestID, notes)
        }
    }

    private func otherMethod(
        _ request: HTTPRequest, _ allow: String, _ requestID: String
    ) -> HTTPResponse {
        guard request.method == "OPTIONS" else {
            return Problem(.methodNotAllowed, allow: allow).response(
                requestID: requestID, route: "none")
        }
        var response = HTTPResponse(status: 204, headers: ["Allow": allow], route: "OPTIONS")
        cors.preflight(&response, request.head, allow: allow)
        return response
    }

    private func respond(
        _ request: HTTPRequest, _ endpoint: Endpoint, _ values: PathValues?, _ requestID: String,
        _ notes: CallNotes
    ) async -> HTTPResponse {
        do {
            let call = try prepare(request, endpoint, values, requestID, notes)
            let answer = try await run(endpoint, call)
            inspect?(endpoint, .success(answer))
            return answer.response(route: endpoint.route)
        } catch {
            if let problem = Problem(error) { inspect?(endpoint, .failure(problem)) }
            let trace = request.headers["traceparent"].flatMap(TraceContext.init)
            return refusal(
                error, endpoint, JobOrigin(requestID: requestID, traceID: trace?.id))
        }
    }

    private func refusal(
        _ error: any Error, _ endpoint: Endpoint, _ origin: JobOrigin
    ) -> HTTPResponse {
        let log = services.log.from(origin)
        let fields: Log.Fields = ["route": .text(endpoint.route), "error": "\(error)"]
        guard let problem = Problem(error) else {
            log.error("request failed", fields)
            return Problem.unforeseen(requestID: origin.requestID, route: endpoint.route)
        }
        if let error = error as? PostgresError, error.isRefused {
            // Authority is asked first and knows as much: that the two disagree is a fault of ours.
            log.error("the database refused a caller whom authority let in", fields)
        }
        if problem.code == .unavailable { log.warning("request not served", fields) }
        return problem.response(requestID: origin.requestID, route: endpoint.route)
    }
}

// MARK: - Calls

extension Front {
    /// Everything that needs no database. The order is that of the answers: who shows no credential
    /// is told so first, an id that can not exist is not looked for, and what is wrong with query
    /// and body waits until the caller is known.
    private func prepare(
        _ request: HTTPRequest, _ endpoint: Endpoint, _ values: PathValues?, _ requestID: String,
        _ notes: CallNotes
    ) throws(Problem) -> Call {
        let credential =
            endpoint.access == nil ? nil : try services.tokens.credential(of: request)
        guard let values else { throw Problem(.notFound) }
        let query = Result { () throws(Problem) in
            try QueryValues(request.query, endpoint.query)
        }
        let call = Call(
            request: request, route: endpoint.route, path: values,
            query: (try? query.get()) ?? .empty, body: Body(request, endpoint.body),
            address: proxies.client(of: request.head), requestID: requestID,
            trace: request.headers["traceparent"].flatMap(TraceContext.init),
            deadline: .after(patience), now: services.now(), credential: credential,
            queryFault: query.failure, pageResult: page(endpoint, request, query), notes: notes,
            services: services)
        if let credential, endpoint.rate == .requests,
            let subject = services.rates.subject(of: credential)
        {
            try call.chargeRequest(to: subject)
        }
        return call
    }

    private func page(
        _ endpoint: Endpoint, _ request: HTTPRequest, _ query: Result<QueryValues, Problem>
    ) -> Result<PageQuery, Problem>? {
        guard endpoint.isPaged, case .success(let query) = query else { return nil }
        return Result { () throws(Problem) in
            try PageQuery(query, list: request.path, signer: services.cursors)
        }
    }

    private func run(_ endpoint: Endpoint, _ call: Call) async throws -> Answer {
        switch endpoint.handler {
        case .open(let handler):
            try call.checkForm()
            return try await handler(call)
        case .entering(let handler):
            return try await handler(call, Entrance(call: call, endpoint: endpoint))
        case .reading(let queries, let answer):
            let (caller, rows) = try await Entrance(call: call, endpoint: endpoint).read {
                try queries(call)
            }
            return try answer(call, caller, rows)
        case .inside(let handler):
            return try await Entrance(call: call, endpoint: endpoint).enter {
                caller, transaction in
                guard endpoint.isIdempotent, let claim = try Idempotency.claim(call, caller) else {
                    return try handler(call, caller, transaction)
                }
                return try Idempotency.answer(claim, in: transaction) {
                    try handler(call, caller, transaction)
                }
            }
        }
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
