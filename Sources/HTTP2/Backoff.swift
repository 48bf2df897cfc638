/// Growing waits between failures.
struct Backoff {
    let base: Duration
    let cap: Duration
    private var failures = 0

    init(base: Duration, cap: Duration) {
        self.base = base
        self.cap = cap
    }

    /// Counts a failure and says how long to wait.
    mutating func fail(random: Double) -> Duration {
        failures += 1
        return Self.delay(failures, base: base, cap: cap, random: random)
    }

    mutating func succeed() { failures = 0 }

    /// `base`, doubled for every failure after the first, at most `cap`, scaled by `random`.
    static func delay(_ failures: Int, base: Duration, cap: Duration, random: Double) -> Duration {
        min(cap, base * (1 << min(failures - 1, 20))) * random
    }
}
