import Alerts

/// What the provider would say now.
struct ModelProvider {
    enum Mood: CaseIterable {
        case well, down, throttling, refusing, oneBad, gone
    }

    private(set) var mood = Mood.well
    /// The job that alone is refused, or whose device is gone.
    private(set) var target = 0
    /// Which outage it is in; nil while it answers somebody.
    private(set) var outage: Int?
    private(set) var outages = 0

    mutating func change(_ random: inout SeededRandom, jobs: Int) {
        turn(to: Mood.allCases[random.below(Mood.allCases.count)])
        target = random.below(max(1, jobs))
    }

    mutating func turn(to next: Mood) {
        if next == .down, mood != .down {
            outages += 1
            outage = outages
        } else if next != .down {
            outage = nil
        }
        mood = next
    }

    /// Its answer to a job, as the worker hears it, and whether it took the push in fact.
    func answer(
        _ job: Int, _ random: inout SeededRandom
    ) -> (heard: ProviderOutcome, tookIt: Bool) {
        switch mood {
        case .down: return (failure(&random), false)
        case .throttling where random.chance(2):
            let wait = random.chance(3) ? nil : ProviderWait.asked(.seconds(1 + random.below(90)))
            let word = ProviderWord(status: 429, reason: "TooManyRequests")
            return (.throttled(word, notBefore: wait), false)
        case .refusing:
            let word = ProviderWord(status: 403, reason: "InvalidProviderToken")
            return (.credentialsRefused(word, remedy: nil), false)
        case .oneBad where job == target: return (failure(&random), false)
        case .gone where job == target:
            let word = ProviderWord(status: 410, reason: "Unregistered")
            return (.unregistered(word, device: .delete), false)
        default:
            // Now and then an answer is lost on its way.
            if random.chance(40) { return (.noAnswer("timeout"), true) }
            return (.accepted(messageID: nil), true)
        }
    }

    private func failure(_ random: inout SeededRandom) -> ProviderOutcome {
        if random.chance(2) { return .noAnswer("timeout") }
        let wait = random.chance(5) ? ProviderWait.asked(.seconds(1 + random.below(60))) : nil
        return .retry(ProviderWord(status: 503, reason: "Shutdown"), notBefore: wait)
    }
}
