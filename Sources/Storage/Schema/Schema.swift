import Jobs
public import Postgres

/// The whole schema, in the order in which it is made: roles first (numbers to 99), then the queue
/// of the room Jobs (100–199), then everything of the product.
public enum Schema {
    /// By number. A text that a database may have never changes again, and what is new comes last,
    /// with the next number, whosever it is: databases have all that stands before.
    public static let migrations: [Migration] =
        [.roles] + JobsSchema.migrations + [
            .people, .sessions, .devices, .preferences, .alerts, .subjects, .deliveries, .records,
            .lanes, .enter, .signIn, .links, .registration,
            .operations, .emit, .operators, .lockOrder,
            JobsSchema.suspects, .enterAtOnce, .linksOfTheShutOut,
            JobsSchema.timing, .wholeKeys, .losses, .unheard,
            .awaited, .linksOfOneStore, .operatorsAlone, .noArguments,
        ]
}
