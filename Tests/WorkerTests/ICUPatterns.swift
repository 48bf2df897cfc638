import Alerts
import Foundation
import MessageFormat

/// The texts of the product, formatted by ICU, as the composition puts them together.
enum ProductTexts {
    static func load() throws -> Wording {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Localization")
        let compiler = ICUPatterns()
        let files = try ["en.json", "pt.json"].map { name in
            Catalogue.File(
                name: name, bytes: Array(try Data(contentsOf: folder.appendingPathComponent(name))))
        }
        return Wording(catalogue: try Catalogue(files, compiler: compiler), compiler: compiler)
    }
}

private struct ICUPatterns: PatternCompiler {
    private let patterns = MessagePatterns()

    func compile(
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
            let form: PatternUse.Form =
                switch use.form {
                case .plain: .plain
                case .number: .number
                case .plural: .plural
                case .select: .select
                case .other: .other
                }
            return PatternUse(name: use.name, form: form, offset: use.offset)
        }
    }

    func format(_ values: [String: PatternValue]) throws(PatternProblem) -> String {
        let arguments = values.mapValues { value -> MessageArgument in
            switch value {
            case .text(let text): .text(text)
            case .integer(let number): .integer(number)
            case .money(let money):
                .money(amount: money.amount.description, currency: money.currency)
            }
        }
        do throws(FormatFault) {
            return try pattern.format(arguments)
        } catch {
            throw PatternProblem(offset: nil, message: error.description)
        }
    }
}
