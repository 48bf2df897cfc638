import Jobs
import Runtime
import Values

/// The time of a schedule, in microseconds since its start: the database's and every worker's.
enum Clock {
    private static let wall = Timestamp(seconds: 1_800_000_000)
    private static let monotonic = ContinuousClock.now

    static func timestamp(_ time: Int64) -> Timestamp {
        Timestamp(microseconds: wall.microseconds + time)
    }

    static func time(_ timestamp: Timestamp) -> Int64 {
        timestamp.microseconds - wall.microseconds
    }

    static func instant(_ time: Int64) -> ContinuousClock.Instant {
        monotonic + .microseconds(time)
    }

    static func database(_ time: Int64) -> DatabaseClock {
        DatabaseClock(timestamp(time), at: instant(time))
    }

    static func seconds(_ seconds: Double) -> Int64 { Int64(seconds * 1_000_000) }
}

/// The settings of every schedule: the product's own.
enum Terms {
    static let lease = Duration.seconds(30)
    static let leaseTime = Clock.seconds(30)
    static let providerTimeout = Clock.seconds(10)
    static let probe = Duration.seconds(5)
    static let pauseBase = Clock.seconds(60)
    static let pauseCap = Clock.seconds(900)
    static let losses = 5
    static let attempts = 5
}
