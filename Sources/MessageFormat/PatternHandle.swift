import CICU

/// Owns one MessageFormat of ICU.
///
/// MessageFormat makes parts of itself at their first use, so one handle formats for one caller at
/// a time. Cloning and listing uses only read.
final class PatternHandle: @unchecked Sendable {
    // @unchecked: `MessagePattern` lends each handle that formats to one caller at a time.
    private let pointer: OpaquePointer

    init(pattern: String, locale: String) throws(PatternFault) {
        var fault = sineta_icu_fault()
        var pattern = pattern
        let pointer = pattern.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                // ICU takes a null start for no text at all.
                sineta_icu_pattern_open(
                    characters.baseAddress, Int32(characters.count), locale, &fault)
            }
        }
        guard let pointer else { throw PatternFault(fault) }
        self.pointer = pointer
    }

    private init(owning pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit { sineta_icu_pattern_close(pointer) }

    /// A second handle to the same parsed pattern.
    func clone() throws(FormatFault) -> PatternHandle {
        guard let copy = sineta_icu_pattern_clone(pointer) else { throw .outOfMemory }
        return PatternHandle(owning: copy)
    }

    func uses() -> [ArgumentUse] {
        (0..<sineta_icu_pattern_use_count(pointer)).map { index in
            ArgumentUse(
                name: String(cString: sineta_icu_pattern_use_name(pointer, index)),
                form: ArgumentUse.Form(sineta_icu_pattern_use_form(pointer, index)),
                offset: Int(sineta_icu_pattern_use_offset(pointer, index)))
        }
    }

    func format(_ values: PackedArguments) throws(FormatFault) -> String {
        try delivered(capacity: 256 + 2 * values.buffer.count) { output, fault in
            values.buffer.withUnsafeBufferPointer { buffer in
                buffer.withMemoryRebound(to: CChar.self) { characters in
                    sineta_icu_pattern_format(
                        pointer, characters.baseAddress, values.arguments,
                        Int32(values.arguments.count), output.baseAddress, Int32(output.count),
                        &fault)
                }
            }
        }
    }
}

/// Texts and values of one call in one buffer.
struct PackedArguments {
    private(set) var buffer: [UInt8] = []
    private(set) var arguments: [sineta_icu_argument] = []

    mutating func append(_ name: String, text: String) {
        let name = slice(name)
        let text = slice(text)
        arguments.append(
            sineta_icu_argument(
                name_start: name.start, name_length: name.length, is_integer: 0,
                text_start: text.start, text_length: text.length, integer: 0))
    }

    mutating func append(_ name: String, integer: Int64) {
        let name = slice(name)
        arguments.append(
            sineta_icu_argument(
                name_start: name.start, name_length: name.length, is_integer: 1, text_start: 0,
                text_length: 0, integer: integer))
    }

    private mutating func slice(_ text: String) -> (start: Int32, length: Int32) {
        let start = buffer.count
        buffer.append(contentsOf: text.utf8)
        return (Int32(start), Int32(buffer.count - start))
    }
}

/// Calls a function of the door that writes text, again with a larger buffer if the first was
/// short.
func delivered(
    capacity: Int,
    _ write: (UnsafeMutableBufferPointer<CChar>, inout sineta_icu_fault) -> Int32
) throws(FormatFault) -> String {
    var capacity = capacity
    while true {
        var fault = sineta_icu_fault()
        var length: Int32 = 0
        let text = String(unsafeUninitializedCapacity: capacity) { buffer in
            length = buffer.withMemoryRebound(to: CChar.self) { write($0, &fault) }
            return length >= 0 && Int(length) <= capacity ? Int(length) : 0
        }
        guard length >= 0 else { throw .mismatch(String(cString: fault.word)) }
        if Int(length) <= capacity { return text }
        capacity = Int(length)
    }
}

extension ArgumentUse.Form {
    fileprivate init(_ use: sineta_icu_use) {
        switch use {
        case SINETA_USE_PLAIN: self = .plain
        case SINETA_USE_NUMBER: self = .number
        case SINETA_USE_PLURAL: self = .plural
        case SINETA_USE_SELECT: self = .select
        default: self = .other
        }
    }
}

extension PatternFault {
    fileprivate init(_ fault: sineta_icu_fault) {
        self.init(
            offset: max(0, Int(fault.offset)), message: Self.words(String(cString: fault.word)))
    }

    private static func words(_ word: String) -> String {
        switch word {
        case "U_UNMATCHED_BRACES": "a brace is not closed"
        case "U_PATTERN_SYNTAX_ERROR": "not a pattern"
        case "U_DEFAULT_KEYWORD_MISSING": "the branch \"other\" is missing"
        case "U_ARGUMENT_TYPE_MISMATCH": "an argument is used in two ways that exclude each other"
        case "U_ILLEGAL_ARGUMENT_ERROR": "unknown type or style of an argument"
        default: "not a pattern (\(word))"
        }
    }
}
