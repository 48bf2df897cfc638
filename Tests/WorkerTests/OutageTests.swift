import Alerts
import Jobs
import Postgres
import Push
import Runtime
import Storage
import TestKit
import Testing
import Values
import Worker

@Suite("Outages, refused credentials and wrong configuration", .timeLimit(.minutes(3)))
struct OutageTests {
    @Test("an outage costs no push more than three attempts, and all go out when it ends")
    func outage() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            try await harbour.raise(shop.store, count: 40)
            let sender = ScriptedSender { _ in ScriptedSender.unavailable }
            try await harbour.working([Harbour.apns: sender]) {
                try await harbour.eventually("the breaker did not open") {
                    try await state(harbour) == ["broken"]
                }
                // Some probes go by, each of which costs nothing.
                let before = sender.arrivals.count
                await sender.wait { $0.count >= before + 3 }
                let attempts = try await harbour.count("select max(attempts) from sineta.jobs")
                #expect(attempts <= 3)
                sender.answer { _ in ScriptedSender.accepted }
                try await harbour.settle()
            }
            #expect(try await harbour.outcomes() == ["accepted": 40])
            #expect(try await harbour.dead().isEmpty)
            #expect(try await state(harbour) == ["open"])
            let most = try await harbour.count("select max(attempts) from sineta.deliveries")
            #expect(most <= 4)
        }
    }

    @Test("in a quiet hour, with one push and six workers, it is three attempts as well")
    func quietHour() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            let senders = (0..<6).map { _ in ScriptedSender() }
            var runs: [Harbour.Run] = []
            for sender in senders { runs.append(try await harbour.start([Harbour.apns: sender])) }
            // Each worker has heard that the provider is well.
            try await harbour.eventually("not all workers had a push") {
                try await harbour.raise(shop.store, count: 6)
                return senders.allSatisfy { !$0.arrivals.isEmpty }
            }
            try await harbour.settle()
            for sender in senders { sender.answer { _ in ScriptedSender.unavailable } }
            let before = senders.map(\.arrivals.count).reduce(0, +)
            try await harbour.raise(shop.store)
            try await harbour.eventually("it was not probed for long") {
                senders.map(\.arrivals.count).reduce(0, +) >= before + 10
            }
            #expect(try await harbour.count("select max(attempts) from sineta.jobs") == 3)
            for sender in senders { sender.answer { _ in ScriptedSender.accepted } }
            try await harbour.settle()
            for run in runs { try await run.end() }
            #expect(try await harbour.dead().isEmpty)
            let most = try await harbour.count("select max(attempts) from sineta.deliveries")
            #expect(most == 4)
        }
    }

    @Test("while the breaker is open one push at a time goes out")
    func oneProbe() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            let begin = ContinuousClock.now
            _ = try await harbour.queue.breakLanes(
                of: Harbour.apns, reason: "503", probeIn: .zero, deadline: harbour.soon)
            try await harbour.raise(shop.store, count: 20)
            let sender = ScriptedSender { _ in ScriptedSender.unavailable }
            var settings = Harbour.settings
            settings.breakerProbe = .milliseconds(200)
            try await harbour.working([Harbour.apns: sender], settings: settings) {
                await sender.wait { $0.count >= 4 }
            }
            // A probe may be late, never early; one may be hurried once.
            let arrivals = sender.arrivals
            let span = try #require(arrivals.last).at - begin
            #expect(span >= .milliseconds(200) * (arrivals.count - 2), "\(span)")
            #expect(try await harbour.count("select max(attempts) from sineta.jobs") == 0)
        }
    }

    @Test("pushes that are not sent do not hold up the probe: a breaker closes with those that are")
    func probePastUnsent() async throws {
        try await Harbour.with { harbour in
            let gone = try await harbour.shop(token: "gone")
            let live = try await harbour.shop("Loja Verde", token: "live")
            _ = try await harbour.queue.breakLanes(
                of: Harbour.apns, reason: "503", probeIn: .seconds(110), deadline: harbour.soon)
            try await harbour.raise(gone.store, count: 30)
            let sender = ScriptedSender()
            var settings = Harbour.settings
            // If each waited for its interval, the live one would come after half an hour.
            settings.breakerProbe = .seconds(60)
            try await harbour.working([Harbour.apns: sender], settings: settings) {
                try await harbour.eventually("not decided") {
                    try await harbour.count(
                        "select count(*) from sineta.jobs where kind = 'push.deliver'") == 30
                }
            }
            try await harbour.run("delete from sineta.devices where id = $1", .id(gone.device))
            try await harbour.run("update sineta.lane_states set next_probe_at = now()")
            try await harbour.working([Harbour.apns: sender], settings: settings) {
                try await harbour.raise(live.store)
                try await harbour.settle()
            }
            #expect(sender.arrivals.map(\.token) == ["live"])
            #expect(try await harbour.outcomes() == ["accepted": 1, "suppressed": 30])
        }
    }

    @Test("a provider that is down does not delay the other")
    func otherProvider() async throws {
        try await Harbour.with { harbour in
            let down = try await harbour.shop(token: "a1")
            let well = try await harbour.shop(token: "b2", transport: "fcm")
            let apns = ScriptedSender { _ in nil }
            let fcm = ScriptedSender()
            try await harbour.raise(down.store, count: 50)
            try await harbour.working([Harbour.apns: apns, Harbour.fcm: fcm]) {
                await apns.wait { $0.count == 50 }
                try await harbour.raise(well.store, count: 5)
                await fcm.wait { $0.count == 5 }
                apns.release()
                try await harbour.settle()
            }
            #expect(try await harbour.outcomes() == ["accepted": 55])
        }
    }

    @Test("refused credentials cost one push its life; the others wait and go after the probe")
    func pause() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            let sender = ScriptedSender(freeStreams: 10) { _ in ScriptedSender.badKey }
            sender.answerProbes(.refused(ProviderWord(status: 403, reason: "InvalidProviderToken")))
            try await harbour.raise(shop.store, count: 30)
            var settings = Harbour.settings
            // No second batch is in hand beside the ten that meet the refusal.
            settings.concurrency = 10
            try await harbour.working([Harbour.apns: sender], settings: settings) {
                try await harbour.eventually("no pause") {
                    try await state(harbour) == ["paused"]
                }
                try await harbour.eventually("no probe") { sender.probes >= 2 }
                try await harbour.eventually("not one is buried") {
                    try await harbour.dead().map(\.reason) == ["InvalidProviderToken"]
                }
                let sent = sender.arrivals.count
                #expect(sent <= 10)
                #expect(
                    try await harbour.count(
                        """
                        select coalesce(max(attempts), 0) from sineta.jobs
                        where kind = 'push.deliver'
                        """) == 0)
                sender.answer { _ in ScriptedSender.accepted }
                sender.answerProbes(.accepted)
                try await harbour.settle()
            }
            #expect(try await harbour.outcomes() == ["accepted": 29])
            #expect(try await harbour.dead().map(\.attempts) == [1])
            #expect(try await state(harbour) == ["open"])
        }
    }

    @Test("after ten mismatches in a row devices are kept and the environment pauses")
    func mismatch() async throws {
        try await Harbour.with { harbour in
            let store = try await harbour.store()
            let user = try await harbour.member(of: store)
            for number in 0..<15 { try await harbour.phone(of: user, token: "t\(number)") }
            let sender = ScriptedSender(freeStreams: 1) { _ in
                ScriptedSender.gone("DeviceTokenNotForTopic")
            }
            sender.answerProbes(.refused(ProviderWord(status: 403, reason: "Forbidden")))
            try await harbour.raise(store)
            try await harbour.working([Harbour.apns: sender]) {
                try await harbour.eventually("no pause") {
                    try await state(harbour) == ["paused"]
                }
                try await harbour.eventually("not written") {
                    try await harbour.outcomes()["rejected"] == 10
                }
            }
            #expect(try await harbour.count("select count(*) from sineta.devices") == 6)
            #expect(
                try await harbour.texts("select reason from sineta.lane_states")
                    .contains("device_mismatch"))
        }
    }

    @Test("an acceptance between keeps mismatches from counting up")
    func noMismatch() async throws {
        try await Harbour.with { harbour in
            let store = try await harbour.store()
            let user = try await harbour.member(of: store)
            for number in 0..<15 { try await harbour.phone(of: user, token: "t\(number)") }
            let count = Lock(0)
            let sender = ScriptedSender(freeStreams: 1) { _ in
                count.withLock { count in
                    count += 1
                    return count % 5 == 0
                        ? ScriptedSender.accepted : ScriptedSender.gone("BadDeviceToken")
                }
            }
            try await harbour.raise(store)
            try await harbour.working([Harbour.apns: sender]) { try await harbour.settle() }
            #expect(try await harbour.outcomes() == ["accepted": 3, "rejected": 12])
            #expect(try await harbour.count("select count(*) from sineta.devices") == 3)
        }
    }

    @Test("a credential that nobody has is off, and its pushes are not decided")
    func off() async throws {
        try await Harbour.with { harbour in
            let shop = try await harbour.shop()
            try await harbour.raise(shop.store)
            try await harbour.working([:]) { try await harbour.settle() }
            #expect(
                try await harbour.texts(
                    "select distinct state from sineta.lane_states") == ["off"])
            #expect(
                try await harbour.texts("select decisions->0->>'reason' from sineta.alerts")
                    == ["provider_not_configured"])
        }
    }

    private func state(_ harbour: Harbour) async throws -> [String] {
        try await harbour.texts(
            "select state from sineta.lane_states where credential = 'apns' and environment = 'production'"
        )
    }
}
