import CMicrohttpd
import Glibc
import Runtime

/// One request and its answer.
///
/// libmicrohttpd calls `handle` again and again on the thread of the connection: with the head,
/// with each piece of the body, with its end, and once more when the handler has answered.
final class Exchange: @unchecked Sendable {
    // @unchecked: what is not in `state` is touched only by the one thread that libmicrohttpd runs
    // the connection on. `handle` is used elsewhere only inside `state`'s lock while suspended,
    // when libmicrohttpd can not let go of it.
    private enum Stage { case head, body, handling, discarding }

    private struct State {
        var isSuspended = false
        var answer: HTTPResponse?
        var task: Task<Void, Never>?
        var stream: HTTPStream?
    }

    private let core: ServerCore
    private let connection: Connection
    private let handle: OpaquePointer
    private let target: String
    private let state = Lock(State())

    private var stage = Stage.head
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var bodyLimit = 0
    private var discarded = 0
    private var began: UInt64 = 0
    private var record: (route: String, status: Int)?

    init(core: ServerCore, connection: Connection, handle: OpaquePointer, target: String) {
        self.core = core
        self.connection = connection
        self.handle = handle
        self.target = target
    }

    func handle(
        method: String, version: UnsafePointer<CChar>?, data: UnsafePointer<CChar>?,
        count: inout Int
    ) -> MHD_Result {
        switch stage {
        case .head:
            return begin(method: method, isVersion10: version.map { strcmp($0, "HTTP/1.0") } == 0)
        case .body:
            guard count > 0 else { return dispatch() }
            defer { count = 0 }
            return take(UnsafeRawBufferPointer(start: data, count: count))
        case .handling:
            guard let answer = state.withLock({ $0.answer.take() }) else { return .NO }
            return queue(answer)
        case .discarding:
            guard count > 0 else { return .NO }
            discarded += count
            count = 0
            return discarded <= core.configuration.bodyLimit * 8 ? .YES : .NO
        }
    }

    private func begin(method: String, isVersion10: Bool) -> MHD_Result {
        began = monotonicNanoseconds()
        connection.enter(.body)
        let reader = HeadReader(
            target: target, method: method, isVersion10: isVersion10,
            remoteAddress: connection.remoteAddress, targetLimit: core.configuration.targetLimit,
            headerLimit: core.configuration.headerLimit)
        do throws(HeadFault) {
            let head = try reader.read(handle)
            self.head = head
            return judge(head)
        } catch {
            core.refused(error.reason)
            return refuse(HTTPResponse.text(error.status, "", route: "refused"))
        }
    }

    private func judge(_ head: HTTPRequestHead) -> MHD_Result {
        switch core.verdict(head) {
        case .refuse(let response):
            return refuse(response)
        case .read(let limit):
            bodyLimit = limit
            if let length = head.contentLength {
                guard length <= limit else { return refuse(core.tooLarge(head, limit)) }
                body.reserveCapacity(length)
            }
            stage = .body
            return .YES
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
        guard body.count + bytes.count <= bodyLimit else {
            guard let head else { return .NO }
            return answerPastBody(core.tooLarge(head, bodyLimit))
        }
        body.append(contentsOf: bytes)
        return .YES
    }

    private func dispatch() -> MHD_Result {
        guard let head else { return .NO }
        stage = .handling
        connection.enter(.busy)
        let request = HTTPRequest(head: head, body: body)
        body = []
        connection.current.withLock { $0 = self }
        let isSuspended = state.withLock { state in
            guard !core.isClosing else { return false }
            state.isSuspended = true
            MHD_suspend_connection(handle)
            return true
        }
        guard isSuspended else { return .NO }
        let task = Task { [self] in deliver(await core.handler(request)) }
        state.withLock { $0.task = task }
        return .YES
    }

    /// The handler's answer; libmicrohttpd is woken once, whoever comes first.
    private func deliver(_ answer: HTTPResponse) {
        state.withLock { state in
            guard state.isSuspended else { return }
            state.isSuspended = false
            state.answer = answer
            MHD_resume_connection(handle)
        }
    }
}

// MARK: - Answers

extension Exchange {
    /// Answers before the body has come. The client may be sending it: closing on unread bytes
    /// would reset the connection and could take the answer with it.
    private func refuse(_ response: HTTPResponse) -> MHD_Result {
        var response = response
        response.closes = true
        let awaitsContinue = head?.headers["Expect"] != nil
        let hasBody = (head?.contentLength ?? 0) > 0 || head?.headers["Transfer-Encoding"] != nil
        return hasBody && !awaitsContinue ? answerPastBody(response) : queue(response)
    }

    /// Answers while the body still comes, which libmicrohttpd has no call for: the answer is
    /// written to the socket as it is, then the sending side is closed and the rest of the body
    /// dropped, until the client stops, the body's deadline passes or it has sent too much.
    private func answerPastBody(_ response: HTTPResponse) -> MHD_Result {
        record = (response.route, response.status)
        stage = .discarding
        body = []
        let bytes = RawAnswer.bytes(response, isHead: head?.method == "HEAD")
        let sent = bytes.withUnsafeBytes {
            send(connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent == bytes.count, shutdown(connection.descriptor, Int32(SHUT_WR)) == 0 else {
            return .NO
        }
        return .YES
    }

    private func queue(_ answer: HTTPResponse) -> MHD_Result {
        record = (answer.route, answer.status)
        guard let response = make(answer) else { return .NO }
        defer { MHD_destroy_response(response) }
        for field in answer.headers.fields {
            _ = MHD_add_response_header(response, field.name, field.value)
        }
        if answer.closes || core.isDraining {
            _ = MHD_add_response_header(response, "Connection", "close")
        }
        return MHD_queue_response(handle, UInt32(answer.status), response)
    }

    private func make(_ answer: HTTPResponse) -> OpaquePointer? {
        switch answer.body {
        case .bytes(let bytes):
            return bytes.withUnsafeBytes { buffer in
                // libmicrohttpd copies at once, so that the pointer does not outlive its array.
                MHD_create_response_from_buffer(
                    buffer.count, UnsafeMutableRawPointer(mutating: buffer.baseAddress),
                    .RESPMEM_MUST_COPY)
            }
        case .stream(let produce):
            let stream = HTTPStream(
                handle: handle, limit: core.configuration.streamBuffer, core: core,
                produce: produce)
            state.withLock { $0.stream = stream }
            core.watch(connection)
            let context = Unmanaged.passRetained(stream).toOpaque()
            return MHD_create_response_from_callback(
                UInt64.max, 16 << 10, readStream, context, releaseStream)
        }
    }
}

// MARK: - Ends

extension Exchange {
    /// The client has left a stream.
    func clientLeft() { state.withLock { $0.stream }?.clientLeft() }

    /// The server drains: a stream is asked to end.
    func drain() { state.withLock { $0.stream }?.end() }

    /// The time for draining is over: the handler is cancelled, and libmicrohttpd woken to close.
    func abandon() {
        let (task, stream) = state.withLock { state in
            if state.isSuspended {
                state.isSuspended = false
                MHD_resume_connection(handle)
            }
            return (state.task, state.stream)
        }
        task?.cancel()
        stream?.clientLeft()
    }

    /// libmicrohttpd is done with the request, however it ended.
    func finish() {
        connection.current.withLock { $0 = nil }
        state.withLock { $0.stream }?.close()
        if let record {
            let seconds = Double(monotonicNanoseconds() - began) / 1e9
            core.answered(route: record.route, status: record.status, seconds: seconds)
        }
        connection.enter(.idle)
        if core.isDraining { core.registry.shut(connection, Int32(SHUT_RD)) }
    }
}

private func readStream(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64,
    _ buffer: UnsafeMutablePointer<CChar>?, _ count: Int
) -> Int {
    guard let context, let buffer else { return sineta_mhd_end_with_error }
    return Unmanaged<HTTPStream>.fromOpaque(context).takeUnretainedValue().read(
        into: buffer, count: count)
}

private func releaseStream(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<HTTPStream>.fromOpaque(context).release()
}
