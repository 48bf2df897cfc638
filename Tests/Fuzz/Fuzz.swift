/// What all targets share: how a broken promise is told to libFuzzer, and how input is cut up.
enum Fuzz {
    /// Ends the process unless a promise holds; libFuzzer then keeps the input.
    static func expect(_ holds: Bool, _ promise: String) {
        // Not a precondition, which says nothing when optimised.
        if !holds { fatalError(promise) }
    }

    static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// The first bytes of an input, filled up with zeros, and what follows them.
    static func cut(_ bytes: [UInt8], _ count: Int) -> (head: [UInt8], tail: [UInt8]) {
        let head = bytes.prefix(count)
        return (
            head + Array(repeating: 0, count: count - head.count), Array(bytes.dropFirst(count))
        )
    }
}
