/// An exact decimal in major units, compared by value and shown as it was written.
public struct Amount: Sendable {
    /// As it came: `-1234.50`.
    public let text: String

    /// How many digits may stand before and behind the point.
    static let integerDigits = 20
    static let fractionDigits = 10
    static let pattern = "^-?[0-9]{1,\(integerDigits)}(\\.[0-9]{1,\(fractionDigits)})?$"

    /// Reads an optional minus, digits, and an optional point with digits behind it; no exponent,
    /// no plus, no grouping. Anything else is nil.
    public init?(_ text: String) {
        var digits = text.utf8[...]
        if digits.first == UInt8(ascii: "-") { digits.removeFirst() }
        let parts = digits.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let integer = parts.first, Self.areDigits(integer, upTo: Self.integerDigits),
            parts.count == 1 || Self.areDigits(parts[1], upTo: Self.fractionDigits)
        else { return nil }
        self.text = text
    }

    /// False for a zero with a minus.
    public var isNegative: Bool { text.utf8.first == UInt8(ascii: "-") && !isZero }

    /// Whatever its sign and its digits: `-0.00` is.
    public var isZero: Bool {
        text.utf8.allSatisfy { !(UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
    }

    private static func areDigits(_ bytes: Substring.UTF8View, upTo limit: Int) -> Bool {
        (1...limit).contains(bytes.count)
            && bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The digits without sign and point, padded on both sides to one width, so that byte order is
    /// the order of magnitudes.
    private var magnitude: [UInt8] {
        var digits = text.utf8[...]
        if digits.first == UInt8(ascii: "-") { digits.removeFirst() }
        let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1)
        let integer = parts.first.map(Array.init) ?? []
        let fraction = parts.count > 1 ? Array(parts[1]) : []
        let zero = UInt8(ascii: "0")
        return Array(repeating: zero, count: Self.integerDigits - integer.count) + integer
            + fraction + Array(repeating: zero, count: Self.fractionDigits - fraction.count)
    }
}

extension Amount: Comparable {
    /// By value: `1.5` is `1.50`, and `-0` is `0`.
    public static func == (left: Amount, right: Amount) -> Bool {
        left.isNegative == right.isNegative && left.magnitude == right.magnitude
    }

    public static func < (left: Amount, right: Amount) -> Bool {
        switch (left.isNegative, right.isNegative) {
        case (true, false): true
        case (false, true): false
        case (false, false): left.magnitude.lexicographicallyPrecedes(right.magnitude)
        case (true, true): right.magnitude.lexicographicallyPrecedes(left.magnitude)
        }
    }
}

extension Amount: CustomStringConvertible {
    public var description: String { text }
}

/// An amount and the ISO 4217 code of its currency.
public struct Money: Sendable, Equatable {
    /// Of any sign.
    public let amount: Amount
    /// Three capital letters; which ones is not asked, since codes come and go.
    public let currency: String

    /// Nil when either is malformed.
    public init?(amount: String, currency: String) {
        guard let amount = Amount(amount), Money.isCurrency(currency) else { return nil }
        self.amount = amount
        self.currency = currency
    }

    static let currencyPattern = "^[A-Z]{3}$"

    /// Whether a text has the form of an ISO 4217 code.
    public static func isCurrency(_ text: String) -> Bool {
        text.utf8.count == 3
            && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }
}
