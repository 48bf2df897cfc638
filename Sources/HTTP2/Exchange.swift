import Glibc

/// One request on its way, with what has come of its response. It lives on the loop's thread from
/// the moment it is taken in.
final class Exchange: @unchecked Sendable {
    // @unchecked: made by the submitter, then handed to the loop's thread, which alone touches it.
    typealias Completion = @Sendable (Result<HTTP2Response, HTTP2Failure>) -> Void

    let request: HTTP2Request
    let deadline: ContinuousClock.Instant
    /// By when its stream must have opened and its last frame be made, however often it is sent;
    /// the deadline at the latest.
    let startBy: ContinuousClock.Instant
    /// It must go over a connection with a number above this.
    let newerThan: UInt64
    /// Makes the first header when the request gets its stream.
    let firstHeader: (@Sendable () -> HTTP2Header)?
    private let completion: Completion

    var response = HTTP2Response(status: 0)
    var headerBytes = 0
    /// The response's last frame has come.
    var isEnded = false
    /// The response broke a limit.
    var isTooLarge = false
    /// The completion was called.
    private(set) var isDone = false
    /// How much of the request's body has gone into frames.
    var bodyOffset = 0
    /// Whether its end has gone into frames. One without a body has its end in the first.
    var isWhole: Bool { bodyOffset == request.body.count }
    /// Where the connection's output stood when the request was put in: every byte of it is later.
    var outputOffset: UInt64 = 0
    var sentAt = ContinuousClock.now
    /// Its place among the connection's streams.
    var index = 0
    var stream: Int32 = 0
    /// How often a peer has refused it, and on which connection last.
    var refusals = 0
    var refusedBy: UInt64 = 0

    init(
        _ request: HTTP2Request, deadline: ContinuousClock.Instant,
        startBy: ContinuousClock.Instant? = nil, newerThan: UInt64,
        firstHeader: (@Sendable () -> HTTP2Header)? = nil, completion: @escaping Completion
    ) {
        self.request = request
        self.deadline = deadline
        self.startBy = min(startBy ?? deadline, deadline)
        self.newerThan = newerThan
        self.firstHeader = firstHeader
        self.completion = completion
    }

    /// Calls the completion, the first time only.
    func finish(_ result: Result<HTTP2Response, HTTP2Failure>) {
        guard !isDone else { return }
        isDone = true
        completion(result)
    }

    /// Makes it as new, to be sent again.
    func rewind() {
        response = HTTP2Response(status: 0)
        headerBytes = 0
        bodyOffset = 0
    }
}
