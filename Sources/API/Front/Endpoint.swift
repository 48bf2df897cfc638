public import Postgres
public import Storage

/// One way to call the API, declared once: the router, the check of authority and the OpenAPI
/// document all read this value and nothing else.
///
/// There is no initialiser without `access`, so a route that does not say who may call it does not
/// compile.
public struct Endpoint: Sendable {
    public enum Method: String, Sendable, CaseIterable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// How often it may be called.
    public enum Rate: Sendable {
        /// As often as one likes, or as its handler charges.
        case unlimited
        /// `REQUESTS_PER_MINUTE`, per session or token.
        case requests
    }

    enum Handler: Sendable {
        case open(@Sendable (Call) async throws -> Answer)
        case inside(@Sendable (Call, Caller, PostgresTransaction) throws -> Answer)
        case entering(@Sendable (Call, Entrance) async throws -> Answer)
        case reading(
            @Sendable (Call) throws -> [PostgresQuery],
            @Sendable (Call, Caller, [PostgresRows]) throws -> Answer)
    }

    public let method: Method
    public let path: PathPattern
    public let summary: String
    /// Who may call; nil for everybody, which only `NoCaller.anyone` makes.
    public let access: Access?
    public let query: [QueryParameter]
    /// Whether it is a list with `limit`, `after` and `next`.
    public let isPaged: Bool
    public let body: BodyShape?
    public let responses: [Response]
    /// The refusals that its own handler throws; those that follow from the declaration come by
    /// themselves (`allCodes`).
    public let codes: [ErrorCode]
    /// Whether it takes `Idempotency-Key`.
    public let isIdempotent: Bool
    /// Whether its answers carry an ETag and it heeds `If-Match`.
    public let isVersioned: Bool
    public let rate: Rate
    let handler: Handler

    /// An endpoint whose handler runs within one transaction, after the check of authority and of
    /// the body. It runs on the connection's thread and must not wait for anything but the
    /// database.
    public init(
        _ method: Method, _ path: PathPattern, _ summary: String, access: Access,
        query: [QueryParameter] = [], isPaged: Bool = false, body: BodyShape? = nil,
        responses: [Response], codes: [ErrorCode] = [], isIdempotent: Bool = false,
        isVersioned: Bool = false, rate: Rate = .requests,
        inside handler: @escaping @Sendable (Call, Caller, PostgresTransaction) throws -> Answer
    ) {
        self.init(
            method, path, summary, access, query, isPaged, body, responses, codes, isIdempotent,
            isVersioned, rate, .inside(handler))
    }

    /// An endpoint whose handler enters the database itself, as often as it wants, and may wait for
    /// other things between; each time the check of authority comes first. An idempotent one claims
    /// the key itself, as by `Entrance.once`.
    public init(
        _ method: Method, _ path: PathPattern, _ summary: String, access: Access,
        query: [QueryParameter] = [], isPaged: Bool = false, body: BodyShape? = nil,
        responses: [Response], codes: [ErrorCode] = [], isIdempotent: Bool = false,
        rate: Rate = .requests,
        entering handler: @escaping @Sendable (Call, Entrance) async throws -> Answer
    ) {
        self.init(
            method, path, summary, access, query, isPaged, body, responses, codes, isIdempotent,
            false, rate, .entering(handler))
    }

    /// An endpoint that only reads, by statements that do not depend on who calls: they find their
    /// caller in `app.user` and `app.stores`, as row-level security does. They go out in the one
    /// round trip in which the caller is asked for.
    ///
    /// - Parameters:
    ///   - queries: the statements; asked for only when query and page are well-formed.
    ///   - answer: makes the answer of their rows, once the caller is known and may call.
    init(
        _ method: Method, _ path: PathPattern, _ summary: String, access: Access,
        query: [QueryParameter] = [], isPaged: Bool = false, responses: [Response],
        reading queries: @escaping @Sendable (Call) throws -> [PostgresQuery],
        answer: @escaping @Sendable (Call, Caller, [PostgresRows]) throws -> Answer
    ) {
        precondition(!access.isForOperators, "operators read under a role of their own")
        self.init(
            method, path, summary, access, query, isPaged, nil, responses, [], false, false,
            .requests, .reading(queries, answer))
    }

    /// An endpoint that anyone may call.
    public init(
        _ method: Method, _ path: PathPattern, _ summary: String, access: NoCaller,
        query: [QueryParameter] = [], body: BodyShape? = nil, responses: [Response],
        codes: [ErrorCode] = [],
        handler: @escaping @Sendable (Call) async throws -> Answer
    ) {
        self.init(
            method, path, summary, nil, query, false, body, responses, codes, false, false,
            .unlimited, .open(handler))
    }

    private init(
        _ method: Method, _ path: PathPattern, _ summary: String, _ access: Access?,
        _ query: [QueryParameter], _ isPaged: Bool, _ body: BodyShape?, _ responses: [Response],
        _ codes: [ErrorCode], _ isIdempotent: Bool, _ isVersioned: Bool,
        _ rate: Rate, _ handler: Handler
    ) {
        self.method = method
        self.path = path
        self.summary = summary
        self.access = access
        self.query = isPaged ? query + PageQuery.parameters : query
        self.isPaged = isPaged
        self.body = body
        self.responses = responses
        self.codes = codes
        self.isIdempotent = isIdempotent
        self.isVersioned = isVersioned
        self.rate = rate
        self.handler = handler
        let concernsStore = access?.concernsStore ?? false
        precondition(
            !concernsStore || path.places.contains { $0.name == "store" && $0.place == .uuid },
            "\(method.rawValue) \(path) asks for a membership, and names no {store}")
    }

    /// Names the route in metrics, log lines and idempotency records.
    public var route: String { "\(method.rawValue) \(path)" }

    /// Every code that it may answer, in the order of the table.
    public var allCodes: [ErrorCode] {
        var codes = Set(codes)
        if let access {
            codes.formUnion([.unauthenticated, .sessionEnded, .unavailable])
            if access.concernsStore { codes.formUnion([.forbidden, .notFound]) }
            if !access.rules.contains(where: { $0.kind == .storeToken }) {
                codes.insert(.sessionRequired)
            }
            if !access.rules.contains(where: { $0.kind == .staff }) { codes.insert(.forbidden) }
        }
        if !path.places.isEmpty { codes.insert(.notFound) }
        if body != nil {
            codes.formUnion([
                .invalidJSON, .duplicateKey, .unsupportedMediaType, .bodyTooLarge,
                .validationFailed,
            ])
        }
        if !query.isEmpty { codes.insert(.validationFailed) }
        if isPaged { codes.insert(.invalidCursor) }
        if isIdempotent {
            codes.formUnion([
                .idempotencyMismatch, .inProgress, .oneTimeSecret, .validationFailed,
            ])
        }
        if isVersioned, method != .get { codes.insert(.preconditionFailed) }
        if rate == .requests { codes.insert(.rateLimited) }
        return ErrorCode.allCases.filter(codes.contains)
    }
}

/// One answer of an endpoint that is no refusal.
public struct Response: Sendable {
    public let status: Int
    public let summary: String
    /// What its JSON looks like; nil for none.
    public let shape: Shape?
    /// Its type when it is not JSON.
    public let mediaType: String?

    public init(
        _ status: Int, _ summary: String, _ shape: Shape? = nil, mediaType: String? = nil
    ) {
        self.status = status
        self.summary = summary
        self.shape = shape
        self.mediaType = mediaType
    }

    /// A page of a list.
    public static func page(of element: Shape, _ summary: String) -> Response {
        Response(
            200, summary,
            .object([
                .required("data", .list(of: element)), .required("next", .nullable(.text)),
            ]))
    }
}
