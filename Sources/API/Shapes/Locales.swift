import Alerts
import JSON

/// Language tags in bodies: a malformed one is refused, any other is kept in its normal form.
enum Locales {
    static func change(_ body: Body, _ name: String) throws(Problem) -> Change<String> {
        switch try body.change(name) {
        case .unchanged: return .unchanged
        case .none: return .none
        case .value(let value):
            guard let tag = value.text.flatMap({ LanguageTag($0) }) else {
                throw .invalid("/\(name)", .format, "must be a language tag such as pt-BR")
            }
            return .value(tag.text)
        }
    }
}
