/// FNV-1a of 64 bits: tells texts apart that changed by accident, not by malice
/// (http://www.isthe.com/chongo/tech/comp/fnv/).
public struct Checksum: Sendable {
    public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    public init() {}

    public init(_ text: String) {
        add(text)
    }

    /// Adds the text and an end mark, so that "ab", "c" and "a", "bc" differ.
    public mutating func add(_ text: String) {
        for byte in text.utf8 { add(byte) }
        add(0xFF)
    }

    private mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01b3
    }
}
