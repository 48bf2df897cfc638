import CCurl
public import Runtime

/// The client for rare requests (access tokens, later webhooks), on threads of its own.
///
/// TLS is always verified, no redirect is followed, no proxy is taken from the environment, plain
/// http goes to loopback alone, and a public name that leads to this machine is refused before it
/// is dialled. Every request opens its own connection.
public final class WebClient: Sendable {
    private let caPath: String?
    private let responseLimit: Int
    private let executor: BlockingExecutor

    /// - Parameters:
    ///   - caPath: a PEM file of authorities that takes the place of the system's.
    ///   - responseLimit: bytes of an answer, headers included.
    ///   - threads: how many requests may run at once; more wait.
    public init(caPath: String? = nil, responseLimit: Int = 1 << 20, threads: Int = 2) {
        _ = WebLibrary.isReady
        self.caPath = caPath
        self.responseLimit = responseLimit
        executor = BlockingExecutor(name: "web", threads: threads)
    }

    deinit { executor.close() }

    /// Sends, and gives the answer whatever its status. The wait for a thread counts too.
    public func send(
        _ request: WebRequest, deadline: Deadline
    ) async throws(WebFailure) -> WebResponse {
        let (caPath, limit) = (caPath, responseLimit)
        return try await executor.run { () throws(WebFailure) in
            try WebTransfer.run(request, caPath: caPath, limit: limit, deadline: deadline)
        }
    }
}

/// libcurl's global part, set up once and never torn down: other libraries of the process use it
/// too.
private enum WebLibrary {
    static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}
