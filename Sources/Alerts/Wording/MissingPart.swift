/// Takes a part that is not there out of a text, together with what tied it to the rest.
///
/// The part is marked by a control character, which cleaning takes out of every text from people,
/// so that stores' own patterns need no branches for what may be missing.
enum MissingPart {
    static let mark = "\u{1A}"
    private static let scalar: Unicode.Scalar = "\u{1A}"

    /// What may stand between two parts. A longer one before a shorter that it contains.
    private static let separators = [" · ", " - ", " – ", " — ", " | ", ": ", ", ", "; ", " "]
        .map { Array($0.unicodeScalars) }

    static func removed(from text: String) -> String {
        guard text.unicodeScalars.contains(scalar) else { return text }
        var scalars = Array(text.unicodeScalars)
        while let index = scalars.firstIndex(of: scalar) {
            remove(at: index, from: &scalars)
        }
        var result = String.UnicodeScalarView()
        result.append(contentsOf: scalars)
        return Text.cleanedLine(String(result))
    }

    private static func remove(at index: Int, from scalars: inout [Unicode.Scalar]) {
        var range = index..<index + 1
        while isBracketed(range, scalars) {
            range = range.lowerBound - 1..<range.upperBound + 1
        }
        if let separator = separators.first(where: { scalars[..<range.lowerBound].hasSuffix($0) }) {
            range = range.lowerBound - separator.count..<range.upperBound
        } else if range.lowerBound == 0,
            let separator = separators.first(where: {
                scalars[range.upperBound...].starts(with: $0)
            })
        {
            range = range.lowerBound..<range.upperBound + separator.count
        }
        scalars.removeSubrange(range)
    }

    private static func isBracketed(_ range: Range<Int>, _ scalars: [Unicode.Scalar]) -> Bool {
        guard range.lowerBound > 0, range.upperBound < scalars.count else { return false }
        return switch (scalars[range.lowerBound - 1], scalars[range.upperBound]) {
        case ("(", ")"), ("[", "]"): true
        default: false
        }
    }
}

extension ArraySlice<Unicode.Scalar> {
    fileprivate func hasSuffix(_ suffix: [Unicode.Scalar]) -> Bool {
        count >= suffix.count && self[(endIndex - suffix.count)...].elementsEqual(suffix)
    }
}
