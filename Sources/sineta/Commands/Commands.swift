/// All that the command line knows, in the order of the help.
enum Commands {
    static let all: [Command] = [
        .up, .serve, .worker, .simulate, .migrate, .doctor, .health, .userCreate, .userOperator,
        .userDisable, .userReset, .storeCreate, .tokenCreate, .explain, .jobsList, .jobsStats,
        .jobsDead, .jobsRetry, .jobsDiscard, .jobsExport,
    ]
}
