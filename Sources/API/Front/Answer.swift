import HTTPServer
public import JSON

/// What a handler answers when it does not refuse.
public struct Answer: Sendable {
    public enum Content: Sendable {
        case none
        /// One JSON value, written.
        case json([UInt8])
        case bytes([UInt8], type: String)
        /// Server-sent events.
        case events(@Sendable (EventStream) async -> Void)
    }

    public var status: Int
    public var content: Content
    public var headers: [(name: String, value: String)] = []
    /// It is given once and never kept for a replay.
    public var holdsSecret = false

    public init(status: Int, content: Content) {
        self.status = status
        self.content = content
    }

    public static func json(_ status: Int, _ value: JSONValue) -> Answer {
        Answer(status: status, content: .json(value.encoded))
    }

    public static func json(_ status: Int, _ write: (inout JSONWriter) -> Void) -> Answer {
        var writer = JSONWriter()
        write(&writer)
        return Answer(status: status, content: .json(writer.bytes))
    }

    public static let noContent = Answer(status: 204, content: .none)

    /// The same answer with a header more.
    public func with(_ name: String, _ value: String) -> Answer {
        var answer = self
        answer.headers.append((name, value))
        return answer
    }

    /// The same answer, marked as holding a secret.
    public var once: Answer {
        var answer = self
        answer.holdsSecret = true
        return answer
    }

    func response(route: String) -> HTTPResponse {
        var response = HTTPResponse(status: status, route: route)
        switch content {
        case .none: break
        case .json(let bytes):
            response.headers.add("Content-Type", "application/json")
            response.body = .bytes(bytes)
        case .bytes(let bytes, let type):
            response.headers.add("Content-Type", type)
            response.body = .bytes(bytes)
        case .events(let produce):
            response = HTTPResponse.events(route: route) { stream in
                await produce(EventStream(stream))
            }
        }
        for header in headers { response.headers.set(header.name, header.value) }
        return response
    }
}

/// The writing end of server-sent events.
public struct EventStream: Sendable {
    private let stream: HTTPStream

    init(_ stream: HTTPStream) { self.stream = stream }

    public var isOpen: Bool { stream.isOpen }

    /// Sends one event whose data is a JSON value, which has no line breaks.
    ///
    /// - Returns: false when nobody listens any more; the task is then cancelled too.
    @discardableResult
    public func send(_ name: String, _ data: [UInt8], id: String? = nil) async -> Bool {
        var bytes = Array("event: \(name)\n".utf8)
        if let id { bytes += Array("id: \(id)\n".utf8) }
        return await write(bytes + Array("data: ".utf8) + data + Array("\n\n".utf8))
    }

    /// Sends a comment, which keeps proxies from ending a quiet stream.
    @discardableResult
    public func keepAlive() async -> Bool { await write(Array(":\n\n".utf8)) }

    private func write(_ bytes: [UInt8]) async -> Bool {
        do throws(HTTPClientGone) {
            try await stream.write(bytes)
            return true
        } catch {
            return false
        }
    }
}
