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

    /// Pushes that wait, since their provider takes none.
    private static func waiting(_ harbour: Harbour, _ stores: [(StoreID, Int)]) async throws {
        _ = try await harbour.queue.breakLanes(
            of: Harbour.apns, reason: "503", probeIn: .seconds(100), deadline: harbour.soon)
        for (store, count) in stores { try await harbour.raise(store, count: count) }
        var settings = Harbour.settings
        settings.breakerProbe = .seconds(100)
        try await harbour.working([Harbour.apns: ScriptedSender()], settings: settings) {
            try await harbour.eventually("not decided") {
                try await harbour.count(
                    "select count(*) from sineta.jobs where kind = 'push.deliver'")
                    == stores.map(\.1).reduce(0, +)
            }
        }
    }

    @Test(
        "pushes past their time end in closed lanes, by a worker without the credential as well",
        arguments: ["off", "paused", "broken"])
    func expires(state: String) async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            let other = try await harbour.shop("Loja Verde")
            try await Self.waiting(harbour, [(shop.store, 3), (other.store, 1)])
            try await harbour.run(
                """
                update sineta.lane_states set state = $1, next_probe_at = now() + interval '1 hour'
                where credential = 'apns' and environment = 'production'
                """, .text(state))
            try await harbour.run(
                "update sineta.jobs set expires_at = now() where store_id = $1", .id(shop.store))
            try await harbour.working([:]) {
                try await harbour.eventually("they stay for ever") {
                    try await harbour.outcomes() == ["expired": 3]
                }
                try await harbour.eventually("not marked") {
                    try await harbour.count(
                        "select count(*) from sineta.alerts where is_unheard") == 3
                }
            }
            #expect(
                try await harbour.count(
                    "select count(*) from sineta.jobs where lease_id is null and attempts = 0") == 1
            )
            #expect(
                try await harbour.count(
                    """
                    select count(*) from sineta.deliveries
                    where outcome = 'expired' and attempts = 0 and status is null
                    """) == 3)
        }
    }
}
