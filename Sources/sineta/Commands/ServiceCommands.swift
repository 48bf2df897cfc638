import Runtime

extension Command {
    private static let simulator = Option(
        name: "--simulator", help: "send to the home's simulator in the place of both providers")
    /// What `up` adds when it starts a child.
    private static let supervised = Option(
        name: Supervision.option, help: "follow the process that started this one")

    static let serve = Command(
        name: "serve", summary: "runs the HTTP API",
        discussion: """
            It needs DATABASE_URL, with the schema of this version, and AUTH_SECRET; with --simulator
            those of the sineta up that runs in SINETA_HOME do, which has PORT and METRICS_BIND already.
            SIGTERM lets it answer what is in flight and end.
            """,
        options: [simulator, supervised], signals: .stop,
        run: { try await Composition.serve($0) })

    static let worker = Command(
        name: "worker", summary: "decides who is alerted, and sends",
        discussion: """
            It needs DATABASE_URL, with the schema of this version, or --simulator beside a sineta up
            that runs in SINETA_HOME; any number may run. SIGTERM lets it finish what is in flight, give
            back the rest and end.
            """,
        options: [simulator, supervised], signals: .stop,
        run: { try await Composition.worker($0) })

    static let simulate = Command(
        name: "simulate", summary: "runs doubles of APNs and FCM with an inbox",
        discussion: """
            It writes into its folder an APNs key, a service account, a certificate authority, and env: a
            file with every variable that points API and worker at it.
            """,
        options: [
            Option(
                name: "--home", value: "DIR", help: "its folder (default: simulator in SINETA_HOME)"
            ),
            Option(name: "--discard", help: "count pushes and keep none of them"),
            supervised,
        ], signals: .stop,
        run: { try await Composition.simulate($0) })

    static let up = Command(
        name: "up", summary: "runs everything on this machine",
        discussion: """
            Without DATABASE_URL it runs a PostgreSQL of its own in SINETA_HOME. It migrates, then starts
            serve and worker as processes of its own, and ends them in order at SIGTERM or Ctrl-C; a
            second one does not wait for what is in flight.
            """,
        options: [
            Option(name: "--simulator", help: "with simulate in the place of both providers"),
            Option(name: "--seed", value: "DIR", help: "load demo data into a new database"),
        ], signals: .stopInSteps,
        run: { try await Up($0).run() })
}
