import JSON
import Runtime
import Values

/// Sends the overview until the operator leaves or may not see it any more. Each reading enters the
/// database anew, so that a session that has ended is noticed by the next one.
struct OverviewStream: Sendable {
    let entrance: Entrance
    var interval = Duration.seconds(2)

    func read() async throws -> OverviewReading {
        try await entrance.renewed.enter { _, transaction in try OverviewReading(transaction) }
    }

    func run(_ first: OverviewReading, to stream: EventStream) async {
        guard await send(first, to: stream) else { return }
        while stream.isOpen {
            // Cancelled when the client has left or the server drains.
            guard await pause() else { return }
            do {
                guard await send(try await read(), to: stream) else { return }
            } catch {
                guard await goesOn(after: error, stream) else { return }
            }
        }
    }

    private func pause() async -> Bool {
        do {
            try await Task.sleep(for: interval)
            return true
        } catch {
            return false
        }
    }

    private func send(_ reading: OverviewReading, to stream: EventStream) async -> Bool {
        var writer = JSONWriter(reserving: 4096)
        reading.write(to: &writer)
        return await stream.send("overview", writer.bytes)
    }

    /// A database that is away now may come back; a caller who may not look does not.
    private func goesOn(after error: any Error, _ stream: EventStream) async -> Bool {
        guard let problem = Problem(error) else {
            entrance.call.log.error("the overview could not be read", ["error": "\(error)"])
            return false
        }
        if problem.code == .unavailable { return await stream.keepAlive() }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("code", problem.code.rawValue)
        writer.endObject()
        await stream.send("end", writer.bytes)
        return false
    }
}
