import CNghttp2

/// Lays header fields out as nghttp2 wants them: pointers into one block of memory, which is kept
/// for the next request. nghttp2 copies what it is given.
struct FieldBlock {
    private var bytes: [UInt8] = []
    private var fields: [(name: Int, value: Int, flags: UInt8)] = []
    private var views: [nghttp2_nv] = []

    mutating func clear() {
        bytes.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
    }

    mutating func add(_ name: String, _ value: String, isSensitive: Bool = false) {
        // Almost all texts are native UTF-8: appended from where they lie, not byte by byte.
        var name = name
        var value = value
        name.withUTF8 { bytes.append(contentsOf: $0) }
        value.withUTF8 { bytes.append(contentsOf: $0) }
        let flags = isSensitive ? sineta_nv_no_index() : 0
        fields.append((name.utf8.count, value.utf8.count, flags))
    }

    mutating func add(_ headers: [HTTP2Header]) {
        for header in headers { add(header.name, header.value, isSensitive: header.isSensitive) }
    }

    /// Calls `body` with the fields in the order of adding; the pointers end with the call.
    mutating func withFields<Result>(
        _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result
    ) -> Result {
        views.removeAll(keepingCapacity: true)
        return bytes.withUnsafeMutableBufferPointer { bytes in
            var position = 0
            for field in fields {
                let name = bytes.baseAddress.map { $0 + position }
                let value = name.map { $0 + field.name }
                views.append(
                    nghttp2_nv(
                        name: name, value: value, namelen: field.name, valuelen: field.value,
                        flags: field.flags))
                position += field.name + field.value
            }
            return views.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
        }
    }
}
