/// Text from people, made fit to stand within an alert.
public enum Text {
    /// How many characters (grapheme clusters) of a message an alert shows.
    public static let messageLength = 240

    /// Control and bidirectional control characters out, runs of white space to one space, trimmed.
    ///
    /// Joiners stay, since emoji and scripts need them.
    public static func cleaned(_ text: String) -> String {
        isClean(text) ? text : clean(text, keepingNoBreakSpaces: false)
    }

    /// A name: cleaned, and empty when nothing of it can be seen.
    public static func name(_ text: String) -> String { visible(text) ?? "" }

    /// Cleaned text; nil when nothing of it can be seen.
    public static func visible(_ text: String) -> String? {
        let text = cleaned(text)
        return text.unicodeScalars.contains(where: isVisible) ? text : nil
    }

    /// The text of a message as it is kept and shown: cleaned and cut; nil when nothing is left.
    public static func message(_ text: String) -> String? {
        visible(text).map { cut($0, to: messageLength) }
    }

    /// At most `count` characters, and `…` behind them when something was cut.
    public static func cut(_ text: String, to count: Int) -> String {
        // A character has at least one byte.
        guard text.utf8.count > count,
            let end = text.index(text.startIndex, offsetBy: count, limitedBy: text.endIndex),
            end < text.endIndex
        else { return text }
        return text[..<end] + ellipsis
    }

    static let ellipsis = "…"

    /// Cleans a whole line that ICU made: its no-break spaces within money are meant.
    static func cleanedLine(_ text: String) -> String {
        isClean(text) ? text : clean(text, keepingNoBreakSpaces: true)
    }

    /// Whether a text is plain ASCII with single spaces inside, as most are.
    private static func isClean(_ text: String) -> Bool {
        var previous = UInt8(ascii: " ")
        for byte in text.utf8 {
            guard (0x20..<0x7F).contains(byte),
                byte != UInt8(ascii: " ") || previous != UInt8(ascii: " ")
            else { return false }
            previous = byte
        }
        return previous != UInt8(ascii: " ") || text.isEmpty
    }

    private static func clean(_ text: String, keepingNoBreakSpaces: Bool) -> String {
        var result = String.UnicodeScalarView()
        var owesSpace = false
        for scalar in text.unicodeScalars {
            if keepingNoBreakSpaces, scalar == "\u{A0}" || scalar == "\u{202F}" {
                result.append(scalar)
            } else if isSpace(scalar) {
                owesSpace = !result.isEmpty
            } else if !isUnwanted(scalar) {
                if owesSpace {
                    result.append(" ")
                    owesSpace = false
                }
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace
    }

    /// Controls, the marks that turn writing around, and code points that are no characters.
    private static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069,
            0xFEFF, 0xFDD0...0xFDEF:
            true
        default: scalar.value & 0xFFFE == 0xFFFE
        }
    }

    /// Whether a code point leaves ink. Fillers and the blank Braille cell are letters and symbols
    /// by category, and blank.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value > 0x20 && scalar.value != 0x7F }
        switch scalar.value {
        case 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0: return false
        default: break
        }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .format, .control, .spaceSeparator, .lineSeparator, .paragraphSeparator, .unassigned,
            .surrogate:
            return false
        default: return !properties.isDefaultIgnorableCodePoint
        }
    }
}
