import JSON
import Values

/// Lock screens drawn for a terminal, each with what the last push for it said beside it.
enum PhoneDrawing {
    /// Columns of text inside a notice.
    private static let width = 34
    private static let noticeLimit = 4
    private static let phoneLimit = 20

    /// One below the other, iPhones first, else in the order given.
    static func of(_ phones: [Phone]) -> String {
        guard !phones.isEmpty else { return "Nothing has arrived yet.\n" }
        let phones =
            phones.filter { $0.address.provider == .apns }
            + phones.filter { $0.address.provider != .apns }
        var text = phones.prefix(phoneLimit).map { "\n" + draw($0) }.joined()
        if phones.count > phoneLimit {
            text += "\nand \(phones.count - phoneLimit) more phones; ?token= shows one\n"
        }
        return text
    }

    private static func draw(_ phone: Phone) -> String {
        let left = screen(phone)
        let right = facts(phone)
        let blank = String(repeating: " ", count: width + 8)
        return (0..<max(left.count, right.count)).map { line in
            let side = line < left.count ? left[line] : blank
            return line < right.count && !right[line].isEmpty ? "\(side)   \(right[line])" : side
        }.map { "\($0)\n" }.joined()
    }

    // MARK: The screen

    private static func screen(_ phone: Phone) -> [String] {
        let name = phone.address.provider == .apns ? "iPhone" : "Android"
        let rule = String(repeating: "─", count: width + 6 - name.count - 3)
        var lines = ["╭─ \(name) \(rule)╮", row(centred(time(phone.latest.at)))]
        let stacks = stacks(phone.notices)
        if stacks.isEmpty { lines.append(row(centred("nothing to see"))) }
        for stack in stacks.prefix(noticeLimit) { lines += card(stack) }
        if stacks.count > noticeLimit {
            lines.append(row(centred("and \(stacks.count - noticeLimit) older")))
        }
        if let badge = phone.badge, badge > 0 {
            lines.append(row(centred("badge of the icon: \(badge)")))
        }
        return lines + ["╰\(String(repeating: "─", count: width + 6))╯"]
    }

    /// The notices of one thread together, the newest first.
    private static func stacks(_ notices: [Phone.Notice]) -> [[Phone.Notice]] {
        var stacks: [[Phone.Notice]] = []
        var places: [String: Int] = [:]
        for notice in notices {
            if let thread = notice.thread, let place = places[thread] {
                stacks[place].append(notice)
            } else {
                if let thread = notice.thread { places[thread] = stacks.count }
                stacks.append([notice])
            }
        }
        return stacks
    }

    private static func card(_ stack: [Phone.Notice]) -> [String] {
        let notice = stack[0]
        let rule = String(repeating: "─", count: width + 2)
        var texts = TerminalText.wrap(notice.title, width, lines: 2)
        if let subtitle = notice.subtitle { texts += TerminalText.wrap(subtitle, width, lines: 1) }
        if let body = notice.body { texts += TerminalText.wrap(body, width, lines: 4) }
        if stack.count > 1 { texts.append("and \(stack.count - 1) more of this thread") }
        return [row("╭\(rule)╮")] + texts.map { row("│ \(TerminalText.pad($0, width)) │") }
            + [row("╰\(rule)╯")]
    }

    private static func row(_ text: String) -> String { "│ \(TerminalText.pad(text, width + 4)) │" }

    private static func centred(_ text: String) -> String {
        String(repeating: " ", count: max(0, (width + 4 - TerminalText.columns(text)) / 2)) + text
    }

    /// `13:28 UTC`
    private static func time(_ time: Timestamp) -> String {
        String(time.rfc3339.dropFirst(11).prefix(5)) + " UTC"
    }

    // MARK: What the push said

    private static func facts(_ phone: Phone) -> [String] {
        let entry = phone.latest
        let facts = (phone.address.provider == .apns ? apns(entry) : fcm(entry)).compactMap {
            fact in fact.1.map { (fact.0, $0) }
        }
        let width = (facts.map(\.0.count).max() ?? 0) + 2
        let via = phone.address.provider == .apns ? "APNs, \(entry.environment)" : "FCM"
        return ["\(via): \(answer(entry))", ""]
            + facts.map { TerminalText.pad($0.0, width) + TerminalText.clip($0.1, 64) }
    }

    private static func answer(_ entry: InboxEntry) -> String {
        guard let answered = entry.answered else { return "no answer" }
        return "answered \(answered.status)" + (answered.reason.map { " \($0)" } ?? "")
    }

    private static func apns(_ entry: InboxEntry) -> [(String, String?)] {
        let aps = entry.json?["aps"]
        let expiry = entry.header("apns-expiration")
        let headers = [
            "apns-push-type", "apns-priority", "apns-topic", "apns-collapse-id", "apns-id",
        ]
        return [("token", entry.token.map(TerminalText.shortened))]
            + headers.map { ($0, entry.header($0)) } + [
                ("apns-expiration", expiry.map(Self.moment)),
                ("thread-id", aps?["thread-id"]?.text), ("sound", aps?["sound"]?.text),
                ("badge", aps?["badge"]?.integer.map(String.init)),
            ]
    }

    private static func fcm(_ entry: InboxEntry) -> [(String, String?)] {
        let android = entry.json?["message"]?["android"]
        let notification = android?["notification"]
        return [("token", entry.token.map(TerminalText.shortened))]
            + ["priority", "ttl", "collapse_key"].map { ($0, android?[$0]?.text) }
            + ["channel_id", "tag", "sound"].map { ($0, notification?[$0]?.text) }
    }

    private static func moment(_ text: String) -> String {
        guard let seconds = Int64(text), (1...253_402_300_799).contains(seconds) else {
            return text
        }
        return "\(text) = \(Timestamp(seconds: seconds).rfc3339)"
    }
}
