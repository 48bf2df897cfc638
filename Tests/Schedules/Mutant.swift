/// A fault that is built into the model on purpose: a simulation that does not catch each of these
/// proves nothing.
public enum Mutant: String, Sendable, CaseIterable {
    /// Write-backs do not ask for the lease.
    case fenceRemoved = "fence-removed"
    /// What an open breaker sends back, and its probes, cost attempts.
    case breakerCostsAttempts = "breaker-costs-attempts"
    /// A send starts although its lease may end before its answer comes.
    case startsOnShortLease = "starts-on-short-lease"
    /// A job of a worker that died is never taken over.
    case leaseNeverEnds = "lease-never-ends"
    /// A push starts after its life.
    case ignoresExpiry = "ignores-expiry"
    /// Nobody counts workers that died with a job.
    case forgetsLosses = "forgets-losses"
    /// Jobs that workers died with twice are claimed in batches as the others are.
    case suspectsInBatch = "suspects-in-batch"
    /// The provider's Retry-After is not read.
    case ignoresRetryAfter = "ignores-retry-after"
    /// A broken lane is probed with whatever comes first, past its life or not.
    case probesWithTheExpired = "probes-with-the-expired"
    /// A worker counts what it saw itself and nothing else.
    case breakerForgets = "breaker-forgets"
    /// A wait that costs no attempt counts one.
    case giveBackCostsAttempt = "give-back-costs-attempt"
}
