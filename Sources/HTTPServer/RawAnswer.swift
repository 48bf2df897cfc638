import CMicrohttpd
import Glibc

/// An answer in the bytes of HTTP/1.1, for the one case in which libmicrohttpd can not send it.
enum RawAnswer {
    /// The bytes of an answer that ends its connection. A stream has no bytes here.
    static func bytes(_ response: HTTPResponse, isHead: Bool) -> [UInt8] {
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body { body = bytes }
        var text = "HTTP/1.1 \(response.status) \(reason(response.status))\r\n"
        text += "Date: \(date(time(nil)))\r\nConnection: close\r\nContent-Length: \(body.count)\r\n"
        for field in response.headers.fields { text += "\(field.name): \(field.value)\r\n" }
        text += "\r\n"
        return Array(text.utf8) + (isHead ? [] : body)
    }

    private static func reason(_ status: Int) -> String {
        MHD_get_reason_phrase_for(UInt32(status)).map { String(cString: $0) } ?? "Unknown"
    }

    /// RFC 9110 section 5.6.7; the names are English in every locale, so strftime is not asked.
    static func date(_ time: time_t) -> String {
        var time = time
        var parts = tm()
        gmtime_r(&time, &parts)
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)])"
        let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        return "\(day) \(parts.tm_year + 1900) \(clock) GMT"
    }
}
