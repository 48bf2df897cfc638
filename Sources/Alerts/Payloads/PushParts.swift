import JSON

/// The three texts of a push, which give way to its ids when a provider's limit is near.
struct PushParts: Sendable, Equatable {
    var title: String
    var subtitle: String?
    var body: String?

    /// Shortens the texts until `excess` bytes are saved: first the body, then the subtitle, then
    /// the title, each as far as it must and at most to `…`.
    ///
    /// - Parameter length: what a text takes on the wire
    /// - Returns: which parts were cut, in that order
    mutating func save(_ excess: Int, measuredBy length: (Substring) -> Int) -> [PushPart] {
        var excess = excess
        var cut: [PushPart] = []
        for part in PushPart.inCuttingOrder where excess > 0 {
            guard let text = self[part] else { continue }
            let before = length(text[...])
            let shorter = Self.shortened(text, to: before - excess, measuredBy: length)
            let saved = before - length(shorter[...])
            guard saved > 0 else { continue }
            self[part] = shorter
            excess -= saved
            cut.append(part)
        }
        return cut
    }

    subscript(_ part: PushPart) -> String? {
        get {
            switch part {
            case .title: title
            case .subtitle: subtitle
            case .body: body
            }
        }
        set {
            switch part {
            case .title: title = newValue ?? title
            case .subtitle: subtitle = newValue
            case .body: body = newValue
            }
        }
    }

    /// The longest beginning of whole characters that fits with `…` behind it.
    private static func shortened(
        _ text: String, to budget: Int, measuredBy length: (Substring) -> Int
    ) -> String {
        var room = budget - length(Text.ellipsis[...])
        var end = text.startIndex
        while end < text.endIndex {
            let next = text.index(after: end)
            room -= length(text[end..<next])
            if room < 0 { break }
            end = next
        }
        return text[..<end] + Text.ellipsis
    }
}

/// One text of a push.
public enum PushPart: String, Sendable {
    /// Cut last.
    case title
    /// The store's name, which Android has no place for; cut second.
    case subtitle
    /// Cut first.
    case body

    static let inCuttingOrder = [body, subtitle, title]
}
