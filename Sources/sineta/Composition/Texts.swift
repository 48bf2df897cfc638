import Alerts
import MessageFormat
import Runtime
import Values

/// What people read: the files of `LOCALIZATION_PATH`, formatted by ICU.
enum Texts {
    /// Reads every language and checks it whole.
    ///
    /// - Throws: `ConfigurationFaults` with the file and what is wrong in it.
    static func load(_ folder: String) throws(ConfigurationFaults) -> Wording {
        let compiler = ICUPatterns()
        guard Files.exists(folder) else {
            throw ConfigurationFaults(
                "LOCALIZATION_PATH",
                "there is no folder \(folder) here: set it to the Localization of Sineta's source")
        }
        do {
            let names = try Files.list(folder).filter { $0.hasSuffix(".json") }
            let files = try names.map { name throws(FileFault) in
                Catalogue.File(name: name, bytes: try Files.read("\(folder)/\(name)"))
            }
            return Wording(
                catalogue: try Catalogue(files, compiler: compiler), compiler: compiler)
        } catch {
            throw ConfigurationFaults("LOCALIZATION_PATH", "\(error)")
        }
    }
}

/// The pure core's door to ICU.
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
