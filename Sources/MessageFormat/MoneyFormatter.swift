import CICU

/// Writes amounts of one currency as one locale does, digit for digit.
///
/// At least the currency's own number of fraction digits, and every digit that was given. The
/// no-break space between symbol and figure (`R$ 1.234,56` in pt-BR) is ICU's and stays.
public final class MoneyFormatter: @unchecked Sendable {
    // @unchecked: a LocalizedNumberFormatter never changes, as seen from outside; ICU documents it
    // as safe to share.
    private let pointer: OpaquePointer

    /// - Parameters:
    ///   - locale: a BCP 47 tag
    ///   - currency: three capital letters of ISO 4217
    public init(locale: String, currency: String) throws(FormatFault) {
        guard currency.utf8.count == 3,
            currency.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { throw .notMoney }
        var fault = sineta_icu_fault()
        guard let pointer = sineta_icu_money_open(locale, currency, &fault) else {
            throw .mismatch(String(cString: fault.word))
        }
        self.pointer = pointer
    }

    deinit { sineta_icu_money_close(pointer) }

    /// - Parameter amount: a decimal in major units, as `-1234.56`; no exponent, no grouping.
    public func format(_ amount: String) throws(FormatFault) -> String {
        guard Self.isDecimal(amount) else { throw .notMoney }
        return try delivered(capacity: 64 + 4 * amount.utf8.count) { output, fault in
            sineta_icu_money_format(
                pointer, amount, Int32(amount.utf8.count), output.baseAddress,
                Int32(output.count), &fault)
        }
    }

    /// ICU would also take exponents, infinity and NaN.
    private static func isDecimal(_ amount: String) -> Bool {
        var digits = 0
        var points = 0
        for (index, byte) in amount.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
            case UInt8(ascii: "."): points += 1
            case UInt8(ascii: "-"), UInt8(ascii: "+"):
                if index > 0 { return false }
            default: return false
            }
        }
        return digits > 0 && points <= 1
    }
}
