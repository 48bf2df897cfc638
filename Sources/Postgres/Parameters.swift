/// The values of one call laid out as libpq wants them: parallel arrays of pointers, lengths and
/// formats over one buffer.
struct Parameters {
    private var bytes: [UInt8] = []
    private var offsets: [Int] = []
    private(set) var lengths: [Int32] = []
    private(set) var formats: [Int32] = []
    let types: [UInt32]

    init(_ values: [PostgresValue]) {
        types = values.map(\.oid)
        bytes.reserveCapacity(values.count * 24)
        for value in values { append(value) }
    }

    private mutating func append(_ value: PostgresValue) {
        switch value {
        case .null, .nullOf:
            offsets.append(-1)
            lengths.append(0)
            formats.append(1)
        case .numeric(let text):
            // Text parameters end in a NUL; one inside would cut the number short, so it becomes
            // something that the server refuses.
            offsets.append(bytes.count)
            lengths.append(0)
            formats.append(0)
            bytes.append(contentsOf: text.utf8.map { $0 == 0 ? UInt8(ascii: "?") : $0 })
            bytes.append(0)
        default:
            let start = bytes.count
            bytes.appendPostgres(value)
            offsets.append(start)
            lengths.append(Int32(bytes.count - start))
            formats.append(1)
            // An empty value at the end of the buffer still needs an address of its own.
            bytes.append(0)
        }
    }

    /// Calls `body` with the number of parameters and the pointers, valid within it.
    func withPointers<Result>(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        if offsets.isEmpty { return body(0, nil) }
        return bytes.withUnsafeBytes { buffer in
            let base = buffer.baseAddress
            let pointers: [UnsafePointer<CChar>?] = offsets.map { offset in
                offset < 0 ? nil : base.map { ($0 + offset).assumingMemoryBound(to: CChar.self) }
            }
            return pointers.withUnsafeBufferPointer {
                body(Int32(pointers.count), $0.baseAddress)
            }
        }
    }
}
