import Runtime

/// An ICU MessageFormat pattern with named arguments, parsed once and shared by any number of
/// threads.
///
/// https://unicode-org.github.io/icu/userguide/format_parse/messages/
public final class MessagePattern: Sendable {
    /// Every use of an argument, in the order of the pattern.
    public let uses: [ArgumentUse]
    /// The names that a call must give.
    public let arguments: Set<String>

    private let locale: String
    private let state: Lock<State>

    /// Never formats, so that it can be cloned while others do.
    private let prototype: PatternHandle

    private struct State {
        /// Handles that nobody uses just now. It grows to the largest number of callers at once.
        var idle: [PatternHandle] = []
        var money: [String: MoneyFormatter] = [:]
    }

    /// How many currencies are kept; a pattern that sees more starts over.
    private static let currencyLimit = 64

    /// - Parameters:
    ///   - pattern: the pattern's text
    ///   - locale: a BCP 47 tag, which decides plural rules, digits and money
    public init(_ pattern: String, locale: String) throws(PatternFault) {
        let handle = try PatternHandle(pattern: pattern, locale: locale)
        uses = handle.uses()
        arguments = Set(uses.map(\.name))
        self.locale = locale
        prototype = handle
        state = Lock(State())
    }

    /// The text for these values. Values that the pattern does not use are ignored.
    public func format(
        _ values: [String: MessageArgument]
    ) throws(FormatFault) -> String {
        var packed = PackedArguments()
        for name in arguments {
            switch values[name] {
            case .text(let text): packed.append(name, text: text)
            case .integer(let number): packed.append(name, integer: number)
            case .money(let amount, let currency):
                packed.append(name, text: try money(currency).format(amount))
            case nil: throw .missing(argument: name)
            }
        }
        let handle = try idleHandle()
        defer { state.withLock { $0.idle.append(handle) } }
        return try handle.format(packed)
    }

    private func idleHandle() throws(FormatFault) -> PatternHandle {
        if let idle = state.withLock({ $0.idle.popLast() }) { return idle }
        return try prototype.clone()
    }

    private func money(_ currency: String) throws(FormatFault) -> MoneyFormatter {
        if let known = state.withLock({ $0.money[currency] }) { return known }
        let made = try MoneyFormatter(locale: locale, currency: currency)
        state.withLock { state in
            if state.money.count >= Self.currencyLimit { state.money.removeAll() }
            state.money[currency] = made
        }
        return made
    }
}
