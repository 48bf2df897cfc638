/// One text that every language has, and what it may name.
public struct TextKey: Sendable, Equatable {
    /// As files spell it.
    public let name: String
    /// What its pattern may name.
    public let arguments: [WordingArgument]

    /// The title of a kind's alerts.
    public static func title(of kind: AlertKind) -> TextKey {
        TextKey(name: "\(kind.name).title", arguments: kind.arguments)
    }

    /// The body of a kind's alerts.
    public static func body(of kind: AlertKind) -> TextKey {
        TextKey(name: "\(kind.name).body", arguments: kind.arguments)
    }

    static let unseenCustomer = TextKey(name: "unseen.customer", arguments: [])
    static let unseenProduct = TextKey(name: "unseen.product", arguments: [])
    static let caption = TextKey(name: "media.caption", arguments: [.label, .caption])

    /// What an alert says in place of a part that is not there.
    static func standIn(_ name: String) -> TextKey { TextKey(name: name, arguments: []) }

    /// The label of a message that is not text.
    static func label(of kind: MessageKind) -> TextKey {
        TextKey(name: "media.\(kind.rawValue)", arguments: [])
    }

    /// Every key, in the order in which files list them.
    public static let all: [TextKey] =
        AlertKind.worded.flatMap { [title(of: $0), body(of: $0)] } + standIns + [caption]
        + MessageKind.allCases.filter { $0 != .text }.map(label)

    private static var standIns: [TextKey] {
        var names: [String] = []
        for name in AlertKind.worded.flatMap(\.arguments).compactMap(\.standIn)
        where !names.contains(name) {
            names.append(name)
        }
        return names.map(standIn)
    }
}
