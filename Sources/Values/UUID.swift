/// A UUID as a value of two words: printed lower case, ordered as its bytes are.
///
/// Foundation's own prints upper case, and every id here travels lower case
/// (RFC 9562; APNs wants `apns-id` lower case as well).
public struct UUID: Hashable, Sendable {
    /// The first eight bytes, most significant first.
    public let high: UInt64
    /// The other eight.
    public let low: UInt64

    /// Takes the bits as they are, version and variant too.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The nil UUID, which stands for "no store" in the audit log.
    public static let zero = UUID(high: 0, low: 0)

    /// A version 7 UUID: 48 bits of milliseconds, then 74 random bits, so that ids made later sort
    /// later and indexes grow at one end.
    public static func v7(
        at time: Timestamp, using random: inout some RandomNumberGenerator
    ) -> UUID {
        let milliseconds = UInt64(max(0, time.microseconds / 1000)) & 0xFFFF_FFFF_FFFF
        let first = random.next()
        let second = random.next()
        return UUID(
            high: milliseconds << 16 | 0x7000 | (first & 0x0FFF),
            low: 0x8000_0000_0000_0000 | (second & 0x3FFF_FFFF_FFFF_FFFF))
    }

    /// A version 7 UUID from the system's randomness, for the borders of the house.
    ///
    /// - Parameter time: this machine's of now, where nobody reads the time out of the id.
    public static func v7(at time: Timestamp = .now()) -> UUID {
        var random = SystemRandomNumberGenerator()
        return v7(at: time, using: &random)
    }

    /// A random (version 4) UUID, for leases and other ids that carry no time.
    public static func random() -> UUID {
        var random = SystemRandomNumberGenerator()
        return UUID(
            high: random.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: random.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
    }
}

extension UUID {
    /// Reads the canonical form `8-4-4-4-12` in either case; anything else is nil.
    public init?(_ text: some StringProtocol) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var index = 0
        for byte in text.utf8 {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard index < 36, let nibble = Hex.nibble(byte) else { return nil }
                if index < 18 {
                    high = high << 4 | UInt64(nibble)
                } else {
                    low = low << 4 | UInt64(nibble)
                }
            }
            index += 1
        }
        guard index == 36 else { return nil }
        self.init(high: high, low: low)
    }

    /// Reads the sixteen bytes of the wire, most significant first.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for (index, byte) in bytes.enumerated() {
            if index < 8 {
                words.0 = words.0 << 8 | UInt64(byte)
            } else {
                words.1 = words.1 << 8 | UInt64(byte)
            }
        }
        self.init(high: words.0, low: words.1)
    }

    /// The sixteen bytes, most significant first.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        for word in [high, low] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return bytes
    }

    /// Appends the 36 characters of the canonical lower-case form.
    public func write(to output: inout [UInt8]) {
        for index in 0..<16 {
            if index == 4 || index == 6 || index == 8 || index == 10 {
                output.append(UInt8(ascii: "-"))
            }
            let word = index < 8 ? high : low
            let byte = UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index & 7)))
            output.append(Hex.digit(byte >> 4))
            output.append(Hex.digit(byte & 15))
        }
    }
}

extension UUID: Comparable {
    public static func < (left: UUID, right: UUID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

extension UUID: CustomStringConvertible {
    public var description: String {
        String(unsafeUninitializedCapacity: 36) { buffer in
            var bytes: [UInt8] = []
            bytes.reserveCapacity(36)
            write(to: &bytes)
            return buffer.initialize(fromContentsOf: bytes)
        }
    }
}
