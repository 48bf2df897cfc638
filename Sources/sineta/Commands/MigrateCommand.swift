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
            let steps = try await database.migrate(
                deadline: .after(.seconds(3600)), log: configuration.log.make())
            Terminal.line(steps == 0 ? "the schema is up to date" : "\(steps) steps taken")
            return .done
        })
}
