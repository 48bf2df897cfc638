import Runtime

/// Parsed patterns by text and locale, kept within a bound.
///
/// Built-in texts and the texts that tenants write share it: whoever fills it with new patterns
/// only makes others parse again. Of two generations the older is dropped when the younger is full,
/// so what is in use stays.
public final class MessagePatterns: Sendable {
    private struct Key: Hashable {
        let pattern: String
        let locale: String
    }

    private struct Generations {
        var young: [Key: MessagePattern] = [:]
        var old: [Key: MessagePattern] = [:]
    }

    private let generation: Int
    private let state = Lock(Generations())

    /// - Parameter limit: how many patterns are kept at most
    public init(limit: Int = 4096) {
        generation = max(1, limit / 2)
    }

    /// The parsed pattern: from memory, or parsed now.
    public func pattern(
        _ text: String, locale: String
    ) throws(PatternFault) -> MessagePattern {
        let key = Key(pattern: text, locale: locale)
        if let known = state.withLock({ find(key, in: &$0) }) { return known }
        let made = try MessagePattern(text, locale: locale)
        state.withLock { keep(made, for: key, in: &$0) }
        return made
    }

    /// How many patterns are kept now.
    public var count: Int { state.withLock { $0.young.count + $0.old.count } }

    private func find(_ key: Key, in state: inout Generations) -> MessagePattern? {
        if let known = state.young[key] { return known }
        guard let known = state.old.removeValue(forKey: key) else { return nil }
        keep(known, for: key, in: &state)
        return known
    }

    private func keep(
        _ pattern: MessagePattern, for key: Key, in state: inout Generations
    ) {
        if state.young.count >= generation {
            state.old = state.young
            state.young = [:]
        }
        state.young[key] = pattern
    }
}
