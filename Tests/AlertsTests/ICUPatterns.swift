import Alerts
import MessageFormat

/// The real patterns behind the room's door, as the composition joins them.
struct ICUPatterns: PatternCompiler {
    private let patterns = MessagePatterns()

    func compile(_ pattern: String, locale: String) throws(PatternProblem) -> any CompiledPattern {
        do {
            return Compiled(pattern: try patterns.pattern(pattern, locale: locale))
        } catch {
            throw PatternProblem(offset: error.offset, message: error.message)
        }
    }

    private struct Compiled: CompiledPattern {
        let pattern: MessagePattern

        var uses: [PatternUse] {
            pattern.uses.map { use in
                PatternUse(name: use.name, form: form(use.form), offset: use.offset)
            }
        }

        func format(_ values: [String: PatternValue]) throws(PatternProblem) -> String {
            do {
                return try pattern.format(values.mapValues(argument))
            } catch {
                throw PatternProblem(offset: nil, message: error.description)
            }
        }

        private func argument(_ value: PatternValue) -> MessageArgument {
            switch value {
            case .text(let text): .text(text)
            case .integer(let number): .integer(number)
            case .money(let money):
                .money(amount: money.amount.text, currency: money.currency)
            }
        }

        private func form(_ form: ArgumentUse.Form) -> PatternUse.Form {
            switch form {
            case .plain: .plain
            case .number: .number
            case .plural: .plural
            case .select: .select
            case .other: .other
            }
        }
    }
}
