import Alerts
import Jobs
import Postgres
import Runtime
import Storage
import Testing
import Values
import Worker

@Suite("Lanes that nobody claims from", .timeLimit(.minutes(3)))
struct ClosedLanesTests {
    @Test("a worker without a credential closes its lanes, and one that has it opens them again")
    func mixed() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            let sender = ScriptedSender()
            let lines = Lock<[String]>([])
            let log = Log(level: .warning, format: .json) { line in
                lines.withLock { $0.append(line) }
            }
            let having = try await harbour.start([Harbour.apns: sender], log: log)
            try await harbour.raise(shop.store)
            try await harbour.settle()
            // It decides that nobody can be reached, so it does not stay about for the second one.
            let lacking = try await harbour.start([:])
            try await harbour.eventually("the lanes stay off") {
                try await harbour.count(
                    """
                    select count(*) from sineta.lane_states
                    where credential = 'apns' and environment = 'production' and state = 'off'
                    """) == 0
            }
            try await lacking.end()
            try await harbour.raise(shop.store)
            try await harbour.settle()
            try await having.end()
            #expect(try await harbour.outcomes() == ["accepted": 2])
            #expect(lines.withLock { $0 }.contains { $0.contains("lanes were off") })
        }
    }
}
