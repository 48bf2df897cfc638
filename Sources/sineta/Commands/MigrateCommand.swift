import Runtime

extension Command {
    static let migrate = Command(
        name: "migrate", summary: "brings the schema up to date",
        discussion: """
            Takes the steps that the database lacks, each in a transaction of its own, makes the roles
            and lets the user of DATABASE_URL into them. It connects with DATABASE_OWNER_URL, whose role
            needs CREATEROLE and must not be a superuser. Any number may run at once.
            """,
        run: { invocation in
            let configuration = try Configuration(invocation.environment)
            let database = try Database(configuration.database)
            let bar = MigrationBar()
            defer { bar.end() }
            let steps = try await database.migrate(
                deadline: .after(.seconds(3600)), log: bar.log(configuration.log),
                ahead: { bar.show(ahead: $0) })
            bar.end()
            Terminal.line(steps == 0 ? "the schema is up to date" : "\(steps) steps taken")
            return .done
        })
}

/// How far a migration has come, for who looks on.
private final class MigrationBar: Sendable {
    private let progress = Lock<Progress?>(nil)

    /// Its lines about steps would stand in the midst of the bar, which says the same.
    func log(_ settings: LogSettings) -> Log {
        Progress.isSeen
            ? Log(level: max(settings.level, .warning), format: settings.format)
            : settings.make()
    }

    /// - Parameter ahead: how many steps are to be taken still.
    func show(ahead: Int) {
        progress.withLock { progress in
            var bar = progress ?? Progress("migrating", total: ahead)
            bar.show(bar.total - ahead)
            progress = bar
        }
    }

    /// The second call does nothing.
    func end() { progress.withLock { $0.take() }?.end() }
}
