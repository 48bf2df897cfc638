import Testing

/// The wire, whole, per kind and language: headers in their order, then the body; no break within.
enum Pins {
    struct Pin: Sendable, CustomTestStringConvertible {
        /// The event's type, or `test`.
        let type: String
        let language: String
        let apns: String
        let fcm: String

        var testDescription: String { "\(type) in \(language)" }
    }

    static let all = orders + stockAndTest + conversations
}
