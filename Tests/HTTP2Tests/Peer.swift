import Cryptography
import HTTP2
import Runtime
import TestKit
import Testing
import Values

/// A certificate authority of the test process, with servers under it.
enum Authority {
    static let shared = Result { try CertificateAuthority(name: "Test CA") }
    /// Signed by itself, and trusted by nobody.
    static let stranger = Result { try CertificateAuthority(name: "Stranger CA") }

    /// The file that clients trust; one for the process.
    static let file = Result { () throws -> String in
        try TemporaryFolder.ofProcess.get().write(shared.get().certificatePEM, as: "http2.pem")
    }

    static func identity(
        _ names: [String] = ["localhost", "127.0.0.1"], by authority: CertificateAuthority? = nil
    ) throws -> HTTP2Identity {
        let issued = try (authority ?? shared.get()).issue(names: names)
        return HTTP2Identity(certificate: issued.certificatePEM, key: issued.keyPEM)
    }
}

/// A server that answers every request as the test says, and clients for it.
func makeServer(
    _ change: (inout HTTP2ServerConfiguration) -> Void = { _ in },
    identity: HTTP2Identity? = nil,
    onConnection: @escaping @Sendable (HTTP2ServerConnection) -> Void = { _ in },
    handler: @escaping HTTP2Server.Handler
) throws -> HTTP2Server {
    var configuration = HTTP2ServerConfiguration()
    change(&configuration)
    return try HTTP2Server(
        configuration, identity: try identity ?? Authority.identity(), onConnection: onConnection,
        handler: handler)
}

func makeClient(
    _ port: UInt16, host: String = "localhost",
    _ change: (inout HTTP2ClientConfiguration) -> Void = { _ in }
) throws -> HTTP2Client {
    var configuration = HTTP2ClientConfiguration()
    configuration.trust = .file(try Authority.file.get())
    configuration.reconnectBase = .milliseconds(5)
    configuration.reconnectCap = .milliseconds(50)
    change(&configuration)
    return HTTP2Client(
        origin: HTTP2Origin(host: host, port: port, address: "127.0.0.1"),
        configuration: configuration)
}

extension HTTP2Client {
    /// Sends a request that has only a short time, and again with twice the time as long as a busy
    /// machine let that pass before anything had gone out: of such a request nothing stays.
    func sendInTime(
        _ request: HTTP2Request, _ time: Duration
    ) async -> Result<HTTP2Response, HTTP2Failure> {
        var end = await send(request, deadline: .after(time))
        var longer = time
        while end == .failure(.timeout(wasSent: false)), longer < .seconds(60) {
            longer *= 2
            end = await send(request, deadline: .after(longer))
        }
        return end
    }

    /// Sends that many requests at once and gives their ends in the order of asking.
    func burst(
        _ count: Int, _ path: (Int) -> String = { "/\($0)" },
        within time: Duration = .seconds(60)
    ) async -> [Result<HTTP2Response, HTTP2Failure>] {
        let ends = Gathering<Result<HTTP2Response, HTTP2Failure>>(count)
        for index in 0..<count {
            submit(HTTP2Request(path: path(index)), deadline: .after(time)) {
                ends.put($0, at: index)
            }
        }
        return await ends.all()
    }
}

/// Collects a known number of values from any thread, then hands them over together.
final class Gathering<Value: Sendable>: Sendable {
    private struct State {
        var values: [Value?]
        var missing: Int
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Lock<State>

    init(_ count: Int) {
        state = Lock(State(values: Array(repeating: nil, count: count), missing: count))
    }

    func put(_ value: Value, at index: Int) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.values[index] == nil else { return nil }
            state.values[index] = value
            state.missing -= 1
            defer { if state.missing == 0 { state.waiter = nil } }
            return state.missing == 0 ? state.waiter : nil
        }
        waiter?.resume()
    }

    /// All values, in the order of their places; an issue is recorded if some do not come.
    func all(within limit: Duration = .seconds(60)) async -> [Value] {
        let alarm = Task {
            try await Task.sleep(for: limit)
            takeWaiter()?.resume()
        }
        defer { alarm.cancel() }
        await withCheckedContinuation { continuation in
            let isComplete = state.withLock { state in
                if state.missing > 0 { state.waiter = continuation }
                return state.missing == 0
            }
            if isComplete { continuation.resume() }
        }
        return state.withLock { state in
            #expect(state.missing == 0)
            return state.values.compactMap { $0 }
        }
    }

    private func takeWaiter() -> CheckedContinuation<Void, Never>? {
        state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
    }
}
