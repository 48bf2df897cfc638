import Glibc
import Runtime

/// `Schedules [COUNT] [SEED] [MUTANT]`: runs so many schedules, each with a seed of its own that
/// follows from SEED, and stops at the first that is broken, whose seed repeats it. A single one is
/// told step by step.
@main enum Main {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        let numbers = arguments.compactMap(UInt64.init)
        let mutant = arguments.compactMap(Mutant.init).first
        let count = Int(clamping: numbers.first ?? 1_000_000)
        let seed = numbers.dropFirst().first ?? UInt64.random(in: 1...(.max >> 1))
        print("schedules: \(count), seed \(seed)\(mutant.map { ", mutant \($0.rawValue)" } ?? "")")
        let start = ContinuousClock.now
        var campaign = Campaign(seed: seed, mutant: mutant)
        if count == 1 { campaign.trace = { line in print(line) } }
        let broken = await campaign.run(count) { done in
            guard isatty(2) == 1 else { return }
            let part = done * 40 / max(1, count)
            let bar = String(repeating: "#", count: part) + String(repeating: ".", count: 40 - part)
            write("\r[\(bar)] \(done)")
        }
        if isatty(2) == 1 { write("\n") }
        guard let broken else {
            print("schedules: all \(count) held, in \(ContinuousClock.now - start)")
            return
        }
        print(
            "schedules: seed \(broken.seed) is broken; `ops/schedules 1 \(broken.seed)` repeats it")
        for violation in broken.violations { print("  \(violation)") }
        exit(1)
    }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

/// Many schedules, on as many threads as there are processors.
public struct Campaign: Sendable {
    public struct Broken: Sendable {
        public let seed: UInt64
        public let violations: [String]
    }

    let seed: UInt64
    let mutant: Mutant?
    var trace: (@Sendable (String) -> Void)?

    public init(seed: UInt64, mutant: Mutant? = nil) {
        self.seed = seed
        self.mutant = mutant
    }

    /// - Parameter progress: how many are done, from any thread.
    /// - Returns: the broken one with the lowest number; nil when all held.
    public func run(
        _ count: Int, progress: @escaping @Sendable (Int) -> Void = { _ in }
    ) async -> Broken? {
        let chunk = 5000
        let lanes = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        return await withTaskGroup(of: Broken?.self) { group in
            var next = 0
            var done = 0
            var found: Broken?
            for _ in 0..<lanes where next < count {
                group.addTask { [next] in await part(next..<min(count, next + chunk)) }
                next += chunk
            }
            while let result = await group.next() {
                done = min(count, done + chunk)
                progress(done)
                if found == nil { found = result }
                guard found == nil, next < count else { continue }
                group.addTask { [next] in await part(next..<min(count, next + chunk)) }
                next += chunk
            }
            return found
        }
    }

    private func part(_ numbers: Range<Int>) async -> Broken? {
        for number in numbers {
            // Whoever else is here, as the other tests, has its turn.
            if number % 50 == 0 { await Task.yield() }
            let own = seed &+ UInt64(number)
            var schedule = Schedule(seed: own, mutant: mutant)
            schedule.trace = trace
            let violations = schedule.run()
            if !violations.isEmpty { return Broken(seed: own, violations: violations) }
        }
        return nil
    }
}
