import Glibc
import Runtime
import Values

/// A bar for work that takes a while, on standard error, and only where a person looks on: a script
/// that keeps the output gets none of it.
struct Progress {
    private let words: String
    let total: Int
    private let isShown: Bool
    private var lastDrawn: ContinuousClock.Instant?

    /// Whether a person looks on.
    static var isSeen: Bool { isatty(2) == 1 }

    /// - Parameters:
    ///   - words: what is done: "retrying".
    ///   - total: how many steps there are.
    init(_ words: String, total: Int, isShown: Bool = Progress.isSeen) {
        self.words = words
        self.total = total
        self.isShown = isShown && total > 0
    }

    /// Draws it anew, ten times a second at most.
    mutating func show(_ done: Int) {
        let now = ContinuousClock.now
        if let lastDrawn, now - lastDrawn < .milliseconds(100), done < total { return }
        guard isShown else { return }
        lastDrawn = now
        Terminal.aside("\r\(Self.bar(words, done, of: total))")
    }

    /// Leaves the last bar standing and goes to the next line.
    func end() {
        if isShown, lastDrawn != nil { Terminal.aside("\n") }
    }

    /// `retrying  [##########··········]  50 %  500 of 1000`
    static func bar(_ words: String, _ done: Int, of total: Int, width: Int = 30) -> String {
        let part = total == 0 ? 1 : min(1, Double(done) / Double(total))
        let full = Int(part * Double(width))
        let bar =
            String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
        return "\(words)  [\(bar)]  \(Int(part * 100)) %  \(done) of \(total)"
    }
}
