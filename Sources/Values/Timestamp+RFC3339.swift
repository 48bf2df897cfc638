extension Timestamp {
    /// `2026-11-30T12:00:00Z`, with as many digits of the second as are not zero, three at a time.
    public var rfc3339: String { description }

    /// Reads RFC 3339: a date, `T` or a space, a time with an optional fraction, and `Z` or an
    /// offset.
    ///
    /// Digits of the fraction beyond the microsecond are dropped; a leap second counts as the
    /// second after it. A date that does not exist, or a year outside 1–9999, gives nil.
    public init?(rfc3339 text: some StringProtocol) {
        var reader = DigitReader(text)
        guard let year = reader.digits(4), reader.skip("-"), let month = reader.digits(2),
            reader.skip("-"), let day = reader.digits(2), reader.skip("T", "t", " "),
            let hour = reader.digits(2), reader.skip(":"), let minute = reader.digits(2),
            reader.skip(":"), let second = reader.digits(2),
            year >= 1, (1...12).contains(month), hour < 24, minute < 60, second <= 60,
            (1...CivilDate.days(in: month, of: year)).contains(day)
        else { return nil }
        guard let fraction = reader.fraction(), let offset = reader.offset(), reader.atEnd
        else { return nil }
        let days = CivilDate(year: year, month: month, day: day).daysSinceEpoch
        let seconds = Int64(days * 86400 + hour * 3600 + minute * 60 + second - offset)
        self.init(microseconds: seconds * 1_000_000 + Int64(fraction))
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC, its fraction with three or six digits, or none.
    public var description: String {
        let seconds = seconds
        let remainder = Int(microseconds % 1_000_000)
        let fraction = remainder < 0 ? remainder + 1_000_000 : remainder
        let days = Int(seconds >= 0 ? seconds / 86400 : (seconds - 86399) / 86400)
        let clock = Int(seconds) - days * 86400
        let date = CivilDate(daysSinceEpoch: days)
        var text = "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
        text += "\(padded(clock / 3600, 2)):\(padded(clock / 60 % 60, 2)):\(padded(clock % 60, 2))"
        if fraction != 0 {
            text +=
                fraction % 1000 == 0 ? ".\(padded(fraction / 1000, 3))" : ".\(padded(fraction, 6))"
        }
        return text + "Z"
    }
}

private func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// Walks the bytes of a text whose fields have fixed widths.
private struct DigitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

    var atEnd: Bool { position == bytes.count }

    mutating func digits(_ count: Int) -> Int? {
        guard position + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[position..<position + count] {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        position += count
        return value
    }

    mutating func skip(_ choices: Unicode.Scalar...) -> Bool {
        guard position < bytes.count,
            choices.contains(where: { UInt8(ascii: $0) == bytes[position] })
        else { return false }
        position += 1
        return true
    }

    /// The microseconds of an optional `.digits`; nil when the point has no digit behind it.
    mutating func fraction() -> Int? {
        guard skip(".") else { return 0 }
        var value = 0
        var weight = 100_000
        var count = 0
        while let digit = digits(1) {
            value += digit * weight
            weight /= 10
            count += 1
        }
        return count > 0 ? value : nil
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int? {
        if skip("Z", "z") { return 0 }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = digits(2), skip(":"), let minutes = digits(2),
            hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
