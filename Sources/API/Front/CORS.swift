import HTTPServer

/// Which web pages may read the answers (https://fetch.spec.whatwg.org/#http-cors-protocol). Never
/// with credentials: tokens travel in `Authorization`, not in cookies.
public struct CORS: Sendable {
    private let origins: [String]

    /// - Parameter origins: such as `https://app.example.com`, or `*`.
    public init(origins: [String]) { self.origins = origins }

    func apply(to response: inout HTTPResponse, _ request: HTTPRequestHead) {
        guard !origins.isEmpty else { return }
        response.headers.add("Vary", "Origin")
        guard let origin = allowed(request) else { return }
        response.headers.set("Access-Control-Allow-Origin", origin)
        response.headers.set(
            "Access-Control-Expose-Headers",
            "ETag, Idempotency-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, "
                + "traceparent")
    }

    /// Adds what a browser asks before a request that a form could not make.
    func preflight(_ response: inout HTTPResponse, _ request: HTTPRequestHead, allow: String) {
        guard allowed(request) != nil, request.headers["Access-Control-Request-Method"] != nil
        else { return }
        response.headers.set("Access-Control-Allow-Methods", allow)
        response.headers.set(
            "Access-Control-Allow-Headers",
            "Authorization, Content-Type, Idempotency-Key, If-Match, X-Request-Id, traceparent")
        response.headers.set("Access-Control-Max-Age", "600")
    }

    private func allowed(_ request: HTTPRequestHead) -> String? {
        guard let origin = request.headers["Origin"] else { return nil }
        if origins.contains("*") { return "*" }
        return origins.contains(origin) ? origin : nil
    }
}
