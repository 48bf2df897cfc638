import Values

/// A date as HTTP writes it (RFC 9110 section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`, and the two
/// obsolete forms that must still be read.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    static func parse(_ text: Substring) -> Timestamp? {
        let words = text.split { $0 == " " || $0 == "-" || $0 == "," }.map(String.init)
        guard let weekday = words.first, weekday.allSatisfy(\.isLetter) else { return nil }
        // Sun Nov  6 08:49:37 1994
        if words.count == 5, let month = month(words[1]) {
            return time(year: words[4], month: month, day: words[2], clock: words[3])
        }
        // Sun, 06 Nov 1994 08:49:37 GMT, and Sunday, 06-Nov-94 08:49:37 GMT
        guard words.count == 6, words[5] == "GMT", let month = month(words[2]) else { return nil }
        return time(year: words[3], month: month, day: words[1], clock: words[4])
    }

    private static func month(_ name: String) -> Int? {
        months.firstIndex(of: name).map { $0 + 1 }
    }

    private static func time(year: String, month: Int, day: String, clock: String) -> Timestamp? {
        let clock = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard let year = number(year, digits: 2, 4), let day = number(day, digits: 1, 2),
            clock.count == 3, let hour = number(clock[0], digits: 2),
            let minute = number(clock[1], digits: 2), let second = number(clock[2], digits: 2),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        // Two digits of a year mean the nearest one: this century, or the last.
        let full = year > 99 ? year : year < 70 ? 2000 + year : 1900 + year
        guard (1...CivilDate.days(in: month, of: full)).contains(day) else { return nil }
        let days = CivilDate(year: full, month: month, day: day).daysSinceEpoch
        return Timestamp(seconds: Int64(days * 86400 + hour * 3600 + minute * 60 + second))
    }

    private static func number(_ text: some StringProtocol, digits: Int...) -> Int? {
        guard digits.contains(text.utf8.count),
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }
}
