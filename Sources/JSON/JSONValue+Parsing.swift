import CJansson

extension JSONValue {
    /// Reads exactly one document of any top level, strictly (RFC 8259).
    ///
    /// Refused beyond plain syntax: a key twice, U+0000, a lone surrogate, invalid UTF-8, a byte
    /// order mark, a trailing comma, a number that overflows, a second document, nesting beyond 64.
    /// https://jansson.readthedocs.io/en/latest/apiref.html#decoding
    public static func parse(_ bytes: [UInt8]) throws(JSONFault) -> JSONValue {
        if let offset = JSONDepth.excess(in: bytes) {
            throw JSONFault(
                code: .invalid, offset: offset, message: "nested deeper than \(JSONDepth.limit)")
        }
        guard !bytes.isEmpty else {
            throw JSONFault(code: .invalid, offset: 0, message: "empty")
        }
        // jansson takes a NUL behind the document for its end.
        if let offset = bytes.firstIndex(of: 0) {
            throw JSONFault(
                code: .invalid, offset: offset,
                message: JSONFault.words(for: json_error_null_character))
        }
        var failure = json_error_t()
        let root = bytes.withUnsafeBytes { buffer in
            json_loadb(
                buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count,
                Int(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY), &failure)
        }
        guard let root else { throw JSONFault(failure) }
        defer { json_decref(root) }
        return JSONValue(copying: root)
    }

    /// Copies a tree of jansson, whose depth is known to be small.
    fileprivate init(copying json: UnsafePointer<json_t>) {
        switch json.pointee.type {
        case JSON_OBJECT: self = .object(JSONObject(copying: json))
        case JSON_ARRAY:
            self = .array(
                (0..<json_array_size(json)).compactMap { index in
                    json_array_get(json, index).map { JSONValue(copying: $0) }
                })
        case JSON_STRING:
            self = .text(String(bytes: json_string_value(json), count: json_string_length(json)))
        case JSON_INTEGER: self = .integer(json_integer_value(json))
        case JSON_REAL: self = .real(json_real_value(json))
        case JSON_TRUE: self = .bool(true)
        case JSON_FALSE: self = .bool(false)
        default: self = .null
        }
    }
}

extension JSONObject {
    fileprivate init(copying json: UnsafePointer<json_t>) {
        // The iterator's type takes a mutable object, though walking changes nothing.
        let json = UnsafeMutablePointer(mutating: json)
        var members: [Member] = []
        members.reserveCapacity(json_object_size(json))
        var iterator = json_object_iter(json)
        while let position = iterator {
            if let value = json_object_iter_value(position) {
                let key = String(
                    bytes: json_object_iter_key(position),
                    count: json_object_iter_key_len(position))
                members.append(Member(key: key, value: JSONValue(copying: value)))
            }
            iterator = json_object_iter_next(json, position)
        }
        self.init(members)
    }
}

extension String {
    /// Copies bytes that jansson has already checked to be UTF-8.
    fileprivate init(bytes: UnsafePointer<CChar>?, count: Int) {
        let buffer = UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count)
        self = String(decoding: buffer, as: UTF8.self)
    }
}

extension JSONFault {
    fileprivate init(_ failure: json_error_t) {
        var failure = failure
        let code = json_error_code(&failure)
        self.init(
            code: code == json_error_duplicate_key ? .duplicateKey : .invalid,
            offset: max(0, Int(failure.position)), message: Self.words(for: code))
    }

    // jansson's own text quotes the input ("near '…'"), which may be a person's: so words of ours.
    fileprivate static func words(for code: json_error_code) -> String {
        switch code {
        case json_error_duplicate_key: "an object has the same key twice"
        case json_error_premature_end_of_input: "the document ends too early"
        case json_error_end_of_input_expected: "something follows the document"
        case json_error_invalid_utf8: "not UTF-8"
        case json_error_null_character, json_error_null_byte_in_key:
            "U+0000 is not allowed"
        case json_error_numeric_overflow: "a number is out of range"
        case json_error_out_of_memory: "out of memory"
        default: "not JSON"
        }
    }
}
