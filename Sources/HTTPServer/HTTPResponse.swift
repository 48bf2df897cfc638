/// An answer.
public struct HTTPResponse: Sendable {
    public enum Body: Sendable {
        case bytes([UInt8])
        /// Written while it is sent: the closure runs once, when the first byte is wanted (so never
        /// for HEAD), and its end is the body's end. It runs in a task that is cancelled when the
        /// client leaves or the server drains.
        case stream(@Sendable (HTTPStream) async -> Void)
    }

    public var status: Int
    public var headers: HTTPHeaders
    public var body: Body
    /// What the request counts as in the metrics: a path pattern, never a path.
    public var route: String
    /// Whether the connection ends after this answer.
    public var closes: Bool

    public init(
        status: Int, headers: HTTPHeaders = [:], body: Body = .bytes([]), route: String = "other",
        closes: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.route = route
        self.closes = closes
    }

    /// A short plain text.
    public static func text(
        _ status: Int, _ text: String, route: String = "other"
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: .bytes(Array(text.utf8)), route: route)
    }

    /// Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): proxies
    /// are asked not to hold the stream back.
    public static func events(
        route: String = "other", _ produce: @escaping @Sendable (HTTPStream) async -> Void
    ) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            headers: [
                "Content-Type": "text/event-stream", "Cache-Control": "no-store",
                "X-Accel-Buffering": "no",
            ], body: .stream(produce), route: route)
    }
}
