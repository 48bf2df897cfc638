/// FNV-1a of 64 bits: tells texts apart that differ by accident, not by malice
/// (http://www.isthe.com/chongo/tech/comp/fnv/).
public struct Checksum: Sendable {
    /// The hash of what was added so far.
    public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Of nothing yet.
    public init() {}

    /// Of one text and its end mark, as `add` adds it.
    public init(endMarked text: String) {
        add(text)
    }

    /// Of bytes alone: FNV-1a as published, without an end mark.
    public init(unmarked bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
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
