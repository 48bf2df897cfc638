/// A private key as people paste it, brought back to the form of RFC 7468.
///
/// Environment files, shells, consoles and JSON turn its line breaks into `\n`, CRLF, spaces or
/// nothing, and add quotes and white space around it. Base64 contains none of these, so all can go.
enum PEMText {
    /// The first private key of `text`, its lines 64 wide, the last one ended.
    static func privateKey(in text: String) throws(KeyFault) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard let block = firstKeyBlock(of: bytes) else { throw whatElse(text) }
        guard !block.label.hasPrefix("ENCRYPTED"), !contains(block.body, "ENCRYPTED") else {
            throw .encrypted
        }
        guard let end = block.end, end == block.label else { throw .cutOff }
        return armour(try base64(block.body), label: block.label)
    }

    private struct Block {
        let label: String
        let body: ArraySlice<UInt8>
        /// The label of the END line, if there is one.
        let end: String?
    }

    private static func firstKeyBlock(of bytes: [UInt8]) -> Block? {
        var position = 0
        while let begin = line("BEGIN", in: bytes, from: position) {
            if begin.label.hasSuffix("PRIVATE KEY") {
                let end = line("END", in: bytes, from: begin.range.upperBound)
                let stop = end?.range.lowerBound ?? bytes.count
                return Block(
                    label: begin.label, body: bytes[begin.range.upperBound..<stop], end: end?.label)
            }
            position = begin.range.upperBound
        }
        return nil
    }

    /// The next `-----<verb> <label>-----`.
    private static func line(
        _ verb: String, in bytes: [UInt8], from start: Int
    ) -> (label: String, range: Range<Int>)? {
        let opening = Array("-----\(verb) ".utf8)
        let dashes = Array("-----".utf8)
        guard let first = find(opening, in: bytes, from: start),
            let last = find(dashes, in: bytes, from: first + opening.count)
        else { return nil }
        let label = String(decoding: bytes[first + opening.count..<last], as: UTF8.self)
        return (label, first..<last + dashes.count)
    }

    private static func find(_ needle: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count - start >= needle.count else { return nil }
        return (start...bytes.count - needle.count).first {
            bytes[$0..<$0 + needle.count].elementsEqual(needle)
        }
    }

    private static func contains(_ bytes: ArraySlice<UInt8>, _ word: String) -> Bool {
        find(Array(word.utf8), in: Array(bytes), from: 0) != nil
    }

    private static func base64(_ body: ArraySlice<UInt8>) throws(KeyFault) -> [UInt8] {
        var digits: [UInt8] = []
        var isEscape = false
        for byte in body {
            switch byte {
            case UInt8(ascii: "\\"): isEscape = true
            // Behind a backslash these are a line break or a tab that somebody has spelled out.
            case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
                if !isEscape { digits.append(byte) }
                isEscape = false
            case UInt8(ascii: " "), 9...13: isEscape = false
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
                UInt8(ascii: "="):
                // A backslash before `/` is JSON's; before any other digit it is damage.
                guard !isEscape || byte == UInt8(ascii: "/") else { throw .damaged }
                isEscape = false
                digits.append(byte)
            default: throw .damaged
            }
        }
        guard !digits.isEmpty else { throw .damaged }
        return digits
    }

    private static func armour(_ digits: [UInt8], label: String) -> [UInt8] {
        var pem = Array("-----BEGIN \(label)-----\n".utf8)
        for start in stride(from: 0, to: digits.count, by: 64) {
            pem += digits[start..<min(start + 64, digits.count)]
            pem.append(UInt8(ascii: "\n"))
        }
        return pem + Array("-----END \(label)-----\n".utf8)
    }

    private static func whatElse(_ text: String) -> KeyFault {
        let labels = ["PUBLIC KEY": KeyFault.publicKey, "CERTIFICATE": .certificate]
        let bytes = Array(text.utf8)
        guard let begin = line("BEGIN", in: bytes, from: 0) else { return .noKey }
        return labels.first { begin.label.hasSuffix($0.key) }?.value ?? .noKey
    }
}
