public import Alerts
import HTTPServer
import JSON
import Postgres

/// An answer that is a refusal (RFC 9457). Whatever throws one ends the request with it; a
/// transaction is rolled back.
public struct Problem: Error, Sendable {
    public let code: ErrorCode
    public let detail: String
    /// Everything that is wrong with the body or the query, in the order of the declaration.
    public let errors: [FieldFault]
    /// Members beside the common ones, as `error` with a push provider's word.
    public let members: [(key: String, value: String)]
    /// Seconds, for `Retry-After`.
    public let retryAfter: Int?
    /// What may be called instead, for `Allow`.
    let allow: String?
    /// The content codings that a body may come in, for `Accept-Encoding` (RFC 9110 section
    /// 12.5.3).
    private(set) var acceptEncoding: String?

    public init(
        _ code: ErrorCode, _ detail: String? = nil, errors: [FieldFault] = [],
        members: [(key: String, value: String)] = [], retryAfter: Int? = nil
    ) {
        self.init(
            code, detail, errors: errors, members: members, retryAfter: retryAfter, allow: nil)
    }

    init(
        _ code: ErrorCode, _ detail: String? = nil, errors: [FieldFault] = [],
        members: [(key: String, value: String)] = [], retryAfter: Int? = nil, allow: String?
    ) {
        self.code = code
        // Unknown, foreign and malformed must not be told apart.
        self.detail = code == .notFound ? code.detail : detail ?? code.detail
        self.errors = errors
        self.members = code == .notFound ? [] : members
        self.retryAfter = retryAfter ?? (code.status == 503 || code == .inProgress ? 1 : nil)
        self.allow = allow
    }

    /// The body or the query is refused for these.
    public static func invalid(_ errors: [FieldFault]) -> Problem {
        Problem(.validationFailed, errors: errors)
    }

    /// The body is in a content coding, which is not undone here.
    static var contentCoding: Problem {
        var problem = Problem(
            .unsupportedMediaType, "Send the body as it is, without `Content-Encoding`.")
        problem.acceptEncoding = "identity"
        return problem
    }

    /// One fault that only the handler can see.
    public static func invalid(
        _ pointer: String, _ code: FieldFault.Code, _ message: String
    ) -> Problem {
        .invalid([FieldFault(pointer: pointer, code: code, message: message)])
    }
}

extension Problem: CustomStringConvertible {
    public var description: String { "\(code.rawValue): \(detail)" }
}

extension Problem {
    /// What an error of a handler is answered with; nil for one that nobody foresaw.
    init?(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let faults as FieldFaults: self = .invalid(faults.faults)
        case let error as PostgresError where error.isUnavailable || error.isSerializationFailure:
            self = Problem(.unavailable)
        case let error as PostgresError where error.isRefused:
            // A door of the database, or row-level security, did not let the caller in.
            self = Problem(.notFound)
        default: return nil
        }
    }

    func body(requestID: String) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        Self.begin(
            &writer, code: code.rawValue, title: code.title, status: code.status, detail: detail,
            requestID: requestID)
        if !errors.isEmpty {
            writer.key("errors")
            writer.beginArray()
            for fault in errors {
                writer.beginObject()
                writer.member("pointer", fault.pointer)
                writer.member("code", fault.code.rawValue)
                writer.member("message", fault.message)
                writer.endObject()
            }
            writer.endArray()
        }
        for member in members { writer.member(member.key, member.value) }
        writer.endObject()
        return writer.bytes
    }

    func response(requestID: String, route: String) -> HTTPResponse {
        var response = HTTPResponse(
            status: code.status, headers: ["Content-Type": Self.mediaType],
            body: .bytes(body(requestID: requestID)), route: route)
        if let retryAfter { response.headers.set("Retry-After", String(retryAfter)) }
        if let allow { response.headers.set("Allow", allow) }
        if let acceptEncoding { response.headers.set("Accept-Encoding", acceptEncoding) }
        if code.status == 401 { response.headers.set("WWW-Authenticate", "Bearer") }
        return response
    }

    static let mediaType = "application/problem+json"

    /// The answer to a fault of ours. Its code is not in the table: no client can cause or mend it.
    static func unforeseen(requestID: String, route: String) -> HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        begin(
            &writer, code: "internal", title: "Internal error", status: 500,
            detail: "This is a fault of the server. It is in its log under the request's id.",
            requestID: requestID)
        writer.endObject()
        return HTTPResponse(
            status: 500, headers: ["Content-Type": mediaType], body: .bytes(writer.bytes),
            route: route)
    }

    private static func begin(
        _ writer: inout JSONWriter, code: String, title: String, status: Int, detail: String,
        requestID: String
    ) {
        writer.member("type", "urn:sineta:problem:\(code)")
        writer.member("title", title)
        writer.member("status", status)
        writer.member("detail", detail)
        writer.member("code", code)
        writer.member("request_id", requestID)
    }
}
