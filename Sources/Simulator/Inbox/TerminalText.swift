/// Texts of strangers in a terminal's columns.
enum TerminalText {
    /// The columns that a text takes: two for emoji and the wide letters of East Asia.
    static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }

    /// Filled up with spaces, or cut when longer.
    static func pad(_ text: String, _ width: Int) -> String {
        let text = clip(text, width)
        return text + String(repeating: " ", count: max(0, width - columns(text)))
    }

    /// At most so many columns, ending with `…` when something was cut.
    static func clip(_ text: String, _ width: Int) -> String {
        let text = clean(text)
        guard columns(text) > width else { return text }
        return prefix(text[...], width - 1) + "…"
    }

    /// Broken at spaces where there are some; the last line says with `…` that more would follow.
    static func wrap(_ text: String, _ width: Int, lines limit: Int) -> [String] {
        var rest = clean(text)[...]
        var lines: [String] = []
        while !rest.isEmpty {
            if lines.count + 1 == limit || columns(String(rest)) <= width {
                lines.append(clip(String(rest), width))
                return lines
            }
            let whole = prefix(rest, width)
            let next = rest.dropFirst(whole.count).first
            let end = next == " " ? nil : whole.lastIndex(of: " ")
            let line = end.map { String(whole[..<$0]) } ?? whole
            lines.append(line)
            rest = rest.dropFirst(max(1, line.count)).drop { $0 == " " }
        }
        return lines
    }

    /// `5e1f5e1f…5e1f`
    static func shortened(_ token: String) -> String {
        token.count <= 24 ? token : "\(token.prefix(16))…\(token.suffix(4))"
    }

    /// Without what would move the cursor, colour the screen or turn the direction of the text.
    private static func clean(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
            // The joiner holds emoji together.
            case .format where scalar.value != 0x200D: break
            default: scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    private static func prefix(_ text: Substring, _ width: Int) -> String {
        var taken = ""
        var used = 0
        for character in text {
            used += columns(character)
            guard used <= width else { break }
            taken.append(character)
        }
        return taken
    }

    /// https://www.unicode.org/reports/tr11/ in the coarse, which is what terminals do.
    private static func columns(_ character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if character.unicodeScalars.contains(where: { $0.value == 0xFE0F }) { return 2 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }
}
