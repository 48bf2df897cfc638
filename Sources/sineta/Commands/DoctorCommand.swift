import Alerts
import Jobs
import Postgres
import Push
import Runtime
import Storage
import Values

extension Command {
    static let doctor = Command(
        name: "doctor", summary: "checks configuration, texts, database and push credentials",
        discussion: """
            Each credential is parsed and tried against its provider without anybody's device: APNs with a
            made-up token, FCM with validate_only. What is wrong comes with what to do about it. It exits
            with 1 when something is.
            """,
        options: [
            Option(name: "--simulator", help: "as serve and worker with the home's simulator")
        ],
        run: { invocation in
            var environment = invocation.environment
            if invocation.has("--simulator") { try SimulatorSeam.overlay(&environment) }
            let configuration = try Configuration(environment)
            if !configuration.providers.isAnySet { Terminal.line(Doctor.hint(configuration.home)) }
            return try await Doctor(configuration).run()
        })
}

/// Looks at everything that a process needs, one finding after the other.
struct Doctor: Sendable {
    private let configuration: Configuration

    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    /// What to do where nothing says how to reach a provider, which is well but rings no phone.
    static func hint(_ home: String) -> String {
        let file = SimulatorSeam.environmentFile(home)
        return """
            note   no push credentials are set: sineta help environment lists APNS_… and FCM_…; \
            sineta doctor --simulator takes those of the home's simulator, which \
            \(Files.exists(file) ? "stand in" : "sineta up --simulator writes into") \(file)
            """
    }

    func run() async throws -> ExitCode {
        var isWell = true
        for warning in configuration.warnings { Terminal.line("note   \(warning)") }
        let tried = try await providers()
        for finding in [texts()] + (await database(tried)) + tried.findings {
            Terminal.line(finding.line)
            isWell = isWell && finding.isWell
        }
        return isWell ? .done : .failed
    }

    /// One line of the report.
    private struct Finding {
        let subject: String
        let isWell: Bool
        let words: String

        var line: String { "\(isWell ? "well " : "FAULT")  \(subject): \(words)" }
    }

    /// What the providers said.
    private struct Tried {
        var findings: [Finding]
        /// The credentials that this process has, and those of them that their provider accepts.
        var known: Set<Credential> = []
        var accepted: Set<Credential> = []
    }

    private func texts() -> Finding {
        do throws(ConfigurationFaults) {
            let offered = try ProductTexts.load(configuration.server.localizationPath).catalogue
                .offered
            return Finding(
                subject: "texts", isWell: true, words: offered.joined(separator: ", "))
        } catch {
            return Finding(subject: "texts", isWell: false, words: "\(error)")
        }
    }

    private func database(_ tried: Tried) async -> [Finding] {
        do {
            let log = Log(level: .error, format: .text)
            let database = try Database.running(configuration, log)
            let pool = PostgresPool(database.application, name: "doctor", size: 1, log: log)
            try await database.check(pool, log: log)
            let closed = try await closedLanes(pool, tried)
            await pool.close()
            return [
                Finding(
                    subject: "database", isWell: true,
                    words: "reachable, its schema is this version's")
            ] + closed
        } catch {
            return [Finding(subject: "database", isWell: false, words: "\(error)")]
        }
    }

    /// What the workers have closed. Of paused lanes whose credentials are accepted now it asks the
    /// workers to try them at once.
    private func closedLanes(
        _ pool: PostgresPool, _ tried: Tried
    ) async throws -> [Finding] {
        let states = try await pool.transaction(
            deadline: .after(.seconds(10)), preamble: Entry.preamble(role: .operator)
        ) { transaction in
            let states = try JobQueue.states(in: transaction)
            let mended = states.filter { $0.word == .paused }.map(\.credential)
                .filter(tried.accepted.contains)
            if try ProviderActs.probeSoon(mended, in: transaction) > 0 {
                try Provision.note("provider.checked", of: "providers", transaction)
            }
            return states
        }
        return states.filter { $0.word != .open }.map { finding($0, tried) }
    }

    /// Lanes that are off are as they should be, unless this process has what opens them.
    private func finding(_ state: LaneState, _ tried: Tried) -> Finding {
        let reason = state.reason ?? "no reason"
        let isOff = state.word == .off
        let isKnown = tried.known.contains(state.credential)
        var words = "\(state.word.rawValue) since \(state.since.rfc3339), \(reason): "
        words += isOff && isKnown ? Self.offHere : ProviderAdvice.sentence(for: reason)
        if state.word == .paused, tried.accepted.contains(state.credential) {
            words += Self.resumes
        }
        return Finding(
            subject: "lanes of \(state.credential)", isWell: isOff && !isKnown, words: words)
    }

    static let offHere =
        "a worker started without these credentials, which are set here. A running worker that has "
        + "them opens the lanes within seconds; if they stay off, start the workers anew with the "
        + "same variables as here."

    static let resumes =
        " The credentials are accepted now: the workers have been asked to try them at once, and "
        + "pushes go on within seconds. If the lanes stay paused, start the workers anew, so that "
        + "they have what is set here."

    private func providers() async throws -> Tried {
        let settings = configuration.providers
        let log = Log(level: .error, format: .text)
        let providers = try Providers(
            settings, timeout: configuration.delivery.providerTimeout, log: log,
            metrics: Metrics())
        var tried = Tried(
            findings: providers.faults.map { each in
                Finding(subject: each.provider, isWell: false, words: "\(each.fault)")
            })
        for (route, result) in await providers.push.probeAll() {
            let credential = Credential(name: route.transport, environment: route.environment)
            tried.known.insert(credential)
            if result == .accepted { tried.accepted.insert(credential) }
            let name = [route.transport, route.environment].filter { !$0.isEmpty }
            tried.findings.append(finding(name.joined(separator: " "), result))
        }
        providers.push.close()
        if !settings.apns.isSet {
            tried.findings.append(
                Finding(subject: "apns", isWell: true, words: "not set, iPhones are silent"))
        }
        if !settings.fcm.isSet {
            tried.findings.append(
                Finding(subject: "fcm", isWell: true, words: "not set, Android phones are silent"))
        }
        return tried
    }

    private func finding(_ subject: String, _ result: ProbeResult) -> Finding {
        switch result {
        case .accepted:
            Finding(subject: subject, isWell: true, words: "the credentials are accepted")
        case .refused(let word):
            Finding(
                subject: subject, isWell: false,
                words: "\(word.said): \(ProviderAdvice.sentence(for: word.reason))")
        case .unknown(let word):
            Finding(
                subject: subject, isWell: false,
                words: "no answer about the credentials, \(word.said): "
                    + ProviderAdvice.sentence(for: word.reason))
        }
    }
}

extension ProviderWord {
    /// As it was answered; without a status nobody answered.
    fileprivate var said: String { status == 0 ? reason : "\(status) \(reason)" }
}
