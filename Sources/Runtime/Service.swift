/// Something that runs for as long as the process does.
public protocol Service: Sendable {
    /// Names it in log lines.
    var name: String { get }

    /// Runs until `shutdown` begins, then ends what is in flight and returns. To return before
    /// that, or to throw, ends the whole group.
    func run(until shutdown: Shutdown) async throws
}

/// The services of one process: they live together, and when one ends all do.
public struct ServiceGroup: Sendable {
    private let services: [any Service]
    private let log: Log

    /// They start together: the order means nothing.
    public init(_ services: [any Service], log: Log) {
        self.services = services
        self.log = log
    }

    /// Runs all services until `shutdown` begins and each has drained, or `grace` after that.
    ///
    /// - Throws: the first error of a service, after the others have drained.
    public func run(until shutdown: Shutdown, grace: Duration) async throws {
        let failure = await withTaskGroup(of: End.self) { group in
            for service in services {
                group.addTask { .service(await Self.run(service, until: shutdown, log: log)) }
            }
            group.addTask { await Self.outlast(shutdown, grace) }
            var running = services.count
            var first: (any Error)?
            while running > 0, case .service(let error)? = await group.next() {
                first = first ?? error
                running -= 1
            }
            if running > 0 { log.warning("shutdown grace is over", ["services": .count(running)]) }
            group.cancelAll()
            return first
        }
        if let failure { throw failure }
    }

    private enum End: Sendable {
        case service((any Error)?)
        case graceIsOver
    }

    private static func outlast(_ shutdown: Shutdown, _ grace: Duration) async -> End {
        await shutdown.wait()
        // A sleep cut short means that every service has ended; then nobody asks for this answer.
        try? await Task.sleep(for: grace)
        return .graceIsOver
    }

    private static func run(
        _ service: any Service, until shutdown: Shutdown, log: Log
    ) async -> (any Error)? {
        do {
            log.debug("service starts", ["service": .text(service.name)])
            try await service.run(until: shutdown)
            if !shutdown.hasBegun {
                log.error("service ended by itself", ["service": .text(service.name)])
            }
            shutdown.begin()
            return nil
        } catch {
            log.error("service failed", ["service": .text(service.name), "error": "\(error)"])
            shutdown.begin()
            return error
        }
    }
}
