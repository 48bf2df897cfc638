import Alerts
import Testing
import Values

@testable import Worker

@Suite("The worker's settings")
struct WorkerSettingsTests {
    @Test("a kind's own backoff stands; one that declares none has that of the settings")
    func retryOfKinds() {
        var settings = WorkerSettings()
        settings.backoff = Backoff(base: .seconds(7), cap: .seconds(70))
        var kind = AlertKind("calls.ringing")
        #expect(settings.retry(of: kind).backoff == settings.backoff)
        #expect(settings.retry(of: kind).attempts == 5)
        let own = RetryPolicy(
            attempts: 2, backoff: Backoff(base: .milliseconds(500), cap: .seconds(1)))
        kind.retry = own
        #expect(settings.retry(of: kind) == own)
    }
}
