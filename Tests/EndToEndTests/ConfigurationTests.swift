import Foundation
import Runtime
import TestKit
import Testing
import Values

@testable import sineta

@Suite("Configuration") struct ConfigurationTests {
    /// What operators and other tools rely on: a name that goes is a breaking change.
    private static let promised: Set<String> = [
        "SINETA_HOME", "DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_POOLER", "BIND", "PORT",
        "METRICS_BIND", "AUTH_SECRET", "TRUSTED_PROXIES", "CORS_ORIGINS", "LOCALIZATION_PATH",
        "SHUTDOWN_GRACE_SECONDS", "LOG_LEVEL", "LOG_FORMAT", "ACCESS_TTL_SECONDS",
        "SESSION_TTL_SECONDS", "REFRESH_GRACE_SECONDS", "EVENTS_PER_SECOND", "EVENTS_BURST",
        "REQUESTS_PER_MINUTE", "WORKER_CONCURRENCY", "JOB_BATCH", "JOB_LEASE_SECONDS",
        "JOB_POLL_SECONDS", "BREAKER_PROBE_SECONDS", "BACKOFF_BASE_SECONDS", "BACKOFF_CAP_SECONDS",
        "PROVIDER_TIMEOUT_SECONDS", "PAUSE_BASE_SECONDS", "ALERT_MAX_AGE_SECONDS",
        "RETENTION_EVENTS_DAYS", "RETENTION_ALERTS_DAYS", "RETENTION_DELIVERIES_DAYS",
        "APNS_KEY_P8", "APNS_KEY_PATH", "APNS_KEY_ID", "APNS_TEAM_ID", "APNS_TOPIC",
        "APNS_SANDBOX_KEY_P8", "APNS_SANDBOX_KEY_PATH", "APNS_SANDBOX_KEY_ID",
        "FCM_SERVICE_ACCOUNT_JSON", "FCM_SERVICE_ACCOUNT_PATH", "FCM_PROJECT_ID",
        "APNS_PRODUCTION_URL", "APNS_SANDBOX_URL", "FCM_URL", "FCM_TOKEN_URL", "PROVIDER_CA_PATH",
        "SIMULATOR_BIND", "SIMULATOR_PORT", "SIMULATOR_KEY",
    ]

    private func read(_ environment: [String: String]) throws -> Configuration {
        try Configuration(environment.merging(["SINETA_HOME": "/nowhere"]) { given, _ in given })
    }

    private func faults(_ environment: [String: String]) -> [String] {
        do {
            _ = try read(environment)
            return []
        } catch let faults as ConfigurationFaults {
            return faults.faults.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    @Test("has the documented defaults when nothing is set")
    func defaults() throws {
        let it = try read([:])
        #expect(it.database.url == nil)
        #expect(it.database.pooler == .none)
        #expect(it.server.bind == "127.0.0.1")
        #expect(it.server.port == 8080)
        #expect(it.server.metrics == ListenAddress(host: "127.0.0.1", port: 9090))
        #expect(it.server.workerMetrics == ListenAddress(host: "127.0.0.1", port: 9091))
        #expect(it.server.shutdownGrace == .seconds(25))
        #expect(it.limits.eventsPerSecond == 200)
        #expect(it.limits.eventsBurst == 2000)
        #expect(it.limits.requestsPerMinute == 600)
        #expect(it.sessions.accessLife == .seconds(900))
        #expect(it.sessions.sessionLife == .seconds(2_592_000))
        #expect(it.sessions.refreshGrace == .seconds(120))
        #expect(it.delivery.concurrency == 1000)
        #expect(it.delivery.batch == 200)
        #expect(it.delivery.lease == .seconds(30))
        #expect(it.delivery.poll == .seconds(1))
        #expect(it.delivery.breakerProbe == .seconds(5))
        #expect(it.delivery.backoffBase == .seconds(2))
        #expect(it.delivery.backoffCap == .seconds(300))
        #expect(it.delivery.providerTimeout == .seconds(10))
        #expect(it.delivery.pauseBase == .seconds(60))
        #expect(it.delivery.alertMaxAge == .seconds(3600))
        #expect(it.retention.events == 90)
        #expect(it.retention.alerts == 90)
        #expect(it.retention.deliveries == 30)
        #expect(it.simulator.port == 8090)
        #expect(!it.providers.apns.isSet && !it.providers.fcm.isSet)
        #expect(it.warnings.isEmpty)
    }

    @Test("a lease outlasts the claim, the facts and the provider's answer")
    func leaseLength() throws {
        let found = faults(["JOB_LEASE_SECONDS": "11.9", "PROVIDER_TIMEOUT_SECONDS": "10"])
        #expect(found.map { $0.split(separator: ":")[0] } == ["JOB_LEASE_SECONDS"])
        let it = try read(["JOB_LEASE_SECONDS": "12", "PROVIDER_TIMEOUT_SECONDS": "10"])
        #expect(it.delivery.lease == .seconds(12))
    }

    @Test("names every faulty variable at once, and none of the values")
    func allFaults() {
        let found = faults([
            "PORT": "hunter2", "BIND": "localhost", "METRICS_BIND": "hunter2:1",
            "LOG_LEVEL": "loud",
            "AUTH_SECRET": "hunter2", "DATABASE_POOLER": "session", "EVENTS_BURST": "-1",
            "TRUSTED_PROXIES": "10.0.0.0/8, hunter2, 10.0.0.0/33", "CORS_ORIGINS": "hunter2",
            "JOB_LEASE_SECONDS": "5", "RETENTION_DELIVERIES_DAYS": "6", "FCM_URL": "hunter2",
            "SIMULATOR_BIND": "0.0.0.0", "PROVIDER_CA_PATH": "/nowhere/hunter2",
        ])
        #expect(
            found.map { $0.split(separator: ":")[0] } == [
                "DATABASE_POOLER", "BIND", "PORT", "METRICS_BIND", "AUTH_SECRET", "TRUSTED_PROXIES",
                "TRUSTED_PROXIES", "CORS_ORIGINS", "LOG_LEVEL", "EVENTS_BURST", "JOB_LEASE_SECONDS",
                "RETENTION_DELIVERIES_DAYS", "FCM_URL", "PROVIDER_CA_PATH", "SIMULATOR_KEY",
            ])
        #expect(found.allSatisfy { !$0.contains("hunter2") && !$0.contains("\n") })
    }

    @Test(
        "takes addresses in both families",
        arguments: [("127.0.0.1:0", "127.0.0.1", 0), ("[::]:9100", "::", 9100)])
    func addresses(text: String, host: String, port: Int) throws {
        let it = try read(["METRICS_BIND": text, "BIND": "::1"])
        #expect(it.server.metrics == ListenAddress(host: host, port: port))
        #expect(it.server.workerMetrics == it.server.metrics)
        #expect(it.server.bind == "::1")
    }

    @Test("prints no secret, however it is printed")
    func secrets() throws {
        let it = try read([
            "AUTH_SECRET": String(repeating: "hunter2", count: 5), "APNS_KEY_P8": "hunter2",
            "DATABASE_URL": "postgresql://sineta:hunter2@127.0.0.1/sineta", "APNS_KEY_ID": "KEY",
            "APNS_TEAM_ID": "TEAM", "FCM_SERVICE_ACCOUNT_JSON": "hunter2",
            "SIMULATOR_KEY": "hunter2",
        ])
        var dumped = ""
        dump(it, to: &dumped)
        #expect(!dumped.contains("hunter2"))
        #expect(!"\(it)".contains("hunter2"))
    }

    @Test("says of each variable what it does, once")
    func documentation() {
        let variables = Configuration.variables
        #expect(Set(variables.map(\.name)).count == variables.count)
        #expect(Set(variables.map(\.name)) == Self.promised)
        for variable in variables {
            #expect(!variable.effect.isEmpty && !variable.form.isEmpty, "\(variable.name)")
            #expect(variable.name.wholeMatch(of: #/[A-Z][A-Z0-9_]+/#) != nil)
        }
    }
}

@Suite("Push credentials in the environment") struct CredentialTests {
    private let complete = [
        "APNS_KEY_P8": "the key", "APNS_KEY_ID": "KEY1234567", "APNS_TEAM_ID": "TEAM123456",
    ]

    private func read(_ environment: [String: String]) throws -> ProviderSettings {
        try Configuration(environment.merging(["SINETA_HOME": "/nowhere"]) { given, _ in given })
            .providers
    }

    private func problems<Value>(_ credentials: Credentials<Value>) -> [String] {
        if case .faulty(let faults) = credentials { return faults.map(\.description) }
        return []
    }

    @Test("serve both environments with one key unless the sandbox has its own")
    func keys() throws {
        guard case .ready(let common) = try read(complete).apns else {
            Issue.record("the credentials are complete")
            return
        }
        #expect(common.sandbox.id == "KEY1234567")
        #expect(common.sandbox.pem.reveal() == "the key")
        #expect(common.topic == "com.mobiari.merchant")
        let more = ["APNS_SANDBOX_KEY_P8": "another", "APNS_SANDBOX_KEY_ID": "KEY7654321"]
        guard case .ready(let both) = try read(complete.merging(more) { $1 }).apns else {
            Issue.record("the credentials are complete")
            return
        }
        #expect(both.production.pem.reveal() == "the key")
        #expect(both.sandbox.pem.reveal() == "another")
        #expect(both.sandbox.id == "KEY7654321")
    }

    @Test(
        "that lack a companion switch the provider off and name what is missing",
        arguments: [
            "APNS_KEY_P8", "APNS_KEY_ID", "APNS_TEAM_ID",
        ])
    func companions(missing: String) throws {
        var environment = complete
        environment[missing] = " "
        let providers = try read(environment)
        #expect(problems(providers.apns) == ["\(missing): is missing, APNs is off"])
        #expect(!providers.fcm.isSet)
    }

    @Test("may come from files, and the content goes before the path with one warning")
    func files() throws {
        let folder = try TemporaryFolder("key")
        defer { folder.remove() }
        let file = try folder.write("from the file", as: "key")
        let environment = [
            "SINETA_HOME": "/nowhere", "FCM_SERVICE_ACCOUNT_PATH": file, "FCM_PROJECT_ID": "demo",
        ]
        guard case .ready(let account) = try read(environment).fcm else {
            Issue.record("the credentials are complete")
            return
        }
        #expect(account.account.reveal() == "from the file")
        #expect(account.variable == "FCM_SERVICE_ACCOUNT_PATH")
        #expect(account.project == "demo")

        let both = try Configuration(environment.merging(["FCM_SERVICE_ACCOUNT_JSON": "{}"]) { $1 })
        #expect(
            both.warnings == [
                "FCM_SERVICE_ACCOUNT_JSON and FCM_SERVICE_ACCOUNT_PATH are both set: FCM_SERVICE_ACCOUNT_JSON is used"
            ])
        let missing = try read(["FCM_SERVICE_ACCOUNT_PATH": "/nowhere/account.json"])
        #expect(
            problems(missing.fcm) == [
                "FCM_SERVICE_ACCOUNT_PATH: cannot read /nowhere/account.json: No such file or directory"
            ])
    }
}

@Suite("The README") struct ReadmeTests {
    @Test("lists every variable as the code declares it")
    func table() throws {
        let readme = try String(contentsOfFile: SourceTree.path("README.md"), encoding: .utf8)
        let rows = Configuration.variables.map { variable in
            let standard = variable.standard.isEmpty ? "–" : variable.standard
            return "| `\(variable.name)` | \(variable.form) | \(standard) | \(variable.effect) |\n"
        }
        let table = "|---|---|---|---|\n" + rows.joined() + "\n"
        #expect(readme.contains(table), "write this table into README.md:\n\(rows.joined())")
    }
}
