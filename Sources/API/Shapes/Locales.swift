import Alerts
import JSON

/// Language tags in bodies: a malformed one is refused, any other is kept in its normal form.
enum Locales {
    static func change(_ body: Body, _ name: String) throws(Problem) -> Alerts.Change<String> {
        switch try body.change(name) {
        case .keep: return .unchanged
        case .clear: return .none
        case .set(let value):
            guard let tag = value.text.flatMap({ LanguageTag($0) }) else {
                throw .invalid("/\(name)", .format, "must be a language tag such as pt-BR")
            }
            return .value(tag.text)
        }
    }
}
