public import Alerts
import MessageFormat

/// The pure core's patterns, compiled and filled in by ICU.
///
/// Safe to share: what it has compiled it keeps for the next caller.
public struct ICUPatterns: PatternCompiler {
    private let patterns = MessagePatterns()

    public init() {}

    /// Cheap the second time: what was compiled is kept, within bounds.
    public func compile(
        _ pattern: String, locale: String
    ) throws(PatternProblem) -> any CompiledPattern {
        do throws(PatternFault) {
            return ICUPattern(pattern: try patterns.pattern(pattern, locale: locale))
        } catch {
            throw PatternProblem(offset: error.offset, message: error.message)
        }
    }
}

private struct ICUPattern: CompiledPattern {
    let pattern: MessagePattern

    var uses: [PatternUse] {
        pattern.uses.map { use in
            PatternUse(name: use.name, form: Self.form(use.form), offset: use.offset)
        }
    }

    func format(_ values: [String: PatternValue]) throws(PatternProblem) -> String {
        do throws(FormatFault) {
            return try pattern.format(values.mapValues(Self.argument))
        } catch {
            throw PatternProblem(offset: nil, message: error.description)
        }
    }

    private static func argument(_ value: PatternValue) -> MessageArgument {
        switch value {
        case .text(let text): .text(text)
        case .integer(let number): .integer(number)
        case .money(let money):
            .money(amount: money.amount.description, currency: money.currency)
        }
    }

    private static func form(_ form: ArgumentUse.Form) -> PatternUse.Form {
        switch form {
        case .plain: .plain
        case .number: .number
        case .plural: .plural
        case .select: .select
        case .other: .other
        }
    }
}
