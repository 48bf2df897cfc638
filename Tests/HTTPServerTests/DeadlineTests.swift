import Glibc
import HTTPServer
import Runtime
import TestKit
import Testing

@Suite("Deadlines")
struct DeadlineTests {
    /// Sends a byte every 20 ms until the peer has had enough; how long that took.
    private static func drip(_ socket: RawSocket, atMost limit: Duration) async -> Duration {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < limit {
            await socket.send("a")
            if await socket.readToEnd(within: .milliseconds(20)) != nil { break }
        }
        return ContinuousClock.now - start
    }

    @Test("a head that drips is cut off, on a new connection and on one that was served")
    func drippingHead() async throws {
        let metrics = Metrics()
        try await withServer({ $0.headDeadline = .seconds(2) }, metrics: metrics) {
            port, _ in
            let fresh = try RawSocket(port: port)
            await fresh.send("GET / HTTP/1.1\r\nHost: x\r\nX: ")
            #expect(await Self.drip(fresh, atMost: .seconds(30)) < .seconds(20))
            let served = try RawSocket(port: port)
            await served.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await served.replies().map(\.status) == [200])
            // The request line itself drips: libmicrohttpd tells nothing of it before it is whole.
            #expect(await Self.drip(served, atMost: .seconds(30)) < .seconds(20))
        }
        let text = metrics.render()
        #expect(text.contains("http_refused_total{server=\"http\",reason=\"head_deadline\"} 2"))
    }

    @Test("a body that drips is cut off without an answer")
    func drippingBody() async throws {
        try await withServer({ $0.bodyDeadline = .milliseconds(300) }) { port, _ in
            let socket = try RawSocket(port: port)
            await socket.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
            #expect(await Self.drip(socket, atMost: .seconds(30)) < .seconds(20))
        }
    }

    @Test("an idle connection is closed after its time, a busy one is not")
    func idle() async throws {
        let gate = Gate()
        try await withServer(
            { $0.idleTimeout = .milliseconds(200) },
            handler: { request in
                if request.path == "/slow" { await gate.wait() }
                return await echo(request)
            }
        ) { port, _ in
            let busy = try RawSocket(port: port)
            await busy.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
            let idle = try RawSocket(port: port)
            await idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let bytes = try #require(await idle.readToEnd(within: .seconds(30)))
            #expect(RawReply.all(in: bytes).map(\.status) == [200])
            await gate.open()
            #expect(await busy.replies().map(\.status) == [200])
        }
    }

    @Test("500 slow clients, half of them within a body, hold up nobody and are all cut off")
    func manySlow() async throws {
        try DescriptorLimit.raise(to: 4096)
        let metrics = Metrics()
        // Long enough that none is cut off before the good client is answered.
        try await withServer(
            {
                $0.headDeadline = .seconds(6)
                $0.bodyDeadline = .seconds(6)
            }, metrics: metrics
        ) { port, _ in
            var slow: [RawSocket] = []
            for number in 0..<500 {
                let socket = try RawSocket(port: port)
                await socket.send(
                    number % 2 == 0
                        ? "GET / HTTP/1.1\r\nHost: x\r\nX-A: "
                        : "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nab")
                slow.append(socket)
            }
            let good = try RawSocket(port: port)
            await good.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await good.replies().map(\.status) == [200])
            #expect(Self.cutOff(metrics) == [0, 0], "it waited for their end")
            for socket in slow {
                #expect(await socket.readToEnd() == [])
            }
        }
        #expect(Self.cutOff(metrics) == [250, 250])
    }

    /// How many were cut off, of heads and of bodies.
    private static func cutOff(_ metrics: Metrics) -> [Int] {
        let lines = metrics.render().split(separator: "\n")
        return ["head_deadline", "body_deadline"].map { reason in
            let name = "http_refused_total{server=\"http\",reason=\"\(reason)\"} "
            let line = lines.first { $0.hasPrefix(name) }
            return line.flatMap { Int($0.dropFirst(name.count)) } ?? 0
        }
    }
}

/// How many files the test process may have open: both ends of each connection are its own.
private enum DescriptorLimit {
    private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    /// Up to the hard limit; the soft one is 1,024 in most places.
    static func raise(to count: rlim_t) throws {
        var limit = rlimit()
        try #require(getrlimit(Self.files, &limit) == 0)
        guard limit.rlim_cur < count else { return }
        limit.rlim_cur = min(count, limit.rlim_max)
        try #require(setrlimit(Self.files, &limit) == 0)
    }
}

/// Lets its waiters through once it is opened.
actor Gate {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func wait() async {
        if isOpen { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}
