import HTTP2
import JSON
import Testing
import Values

@testable import Simulator

@Suite("The drawn phones")
struct PhonesTests {
    private func apns(
        _ body: JSONValue, key: String = "order-1", status: Int = 200, at seconds: Int64 = 0
    ) -> InboxEntry {
        let token = String(repeating: "5e1f", count: 16)
        return InboxEntry(
            number: 1, at: Timestamp(seconds: 1_796_000_000 + seconds), provider: .apns,
            environment: "production", method: "POST", path: "/3/device/\(token)",
            headers: [
                HTTP2Header("apns-push-type", "alert"), HTTP2Header("apns-priority", "10"),
                HTTP2Header("apns-topic", "com.mobiari.merchant"),
                HTTP2Header("apns-collapse-id", key),
                HTTP2Header("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b"),
                HTTP2Header("apns-expiration", "1796003600"),
            ], body: body.encoded, token: token, connection: 1,
            answered: .init(status: status, reason: status == 200 ? nil : "Unregistered"))
    }

    private func fcm(_ notification: JSONValue, android: JSONValue) -> InboxEntry {
        let token = "demo-android:" + String(repeating: "A1b2", count: 20)
        let body: JSONValue = [
            "message": [
                "token": .text(token), "notification": notification, "android": android,
            ]
        ]
        return InboxEntry(
            number: 2, at: Timestamp(seconds: 1_796_000_060), provider: .fcm,
            environment: "production", method: "POST", path: "/v1/projects/p/messages:send",
            headers: [], body: body.encoded, token: token, connection: 1,
            answered: .init(status: 200, reason: nil))
    }

    private func alert(_ title: String, _ body: String, thread: String? = nil) -> JSONValue {
        var aps: JSONObject = JSONObject([
            ("alert", ["title": .text(title), "body": .text(body)]), ("sound", "default"),
            ("badge", 1),
        ])
        if let thread { aps["thread-id"] = .text(thread) }
        return ["aps": .object(aps)]
    }

    private func titles(_ entries: [InboxEntry]) -> [[String]] {
        Phone.all(entries).map { $0.notices.map(\.title) }
    }

    @Test("stand one below the other, with what the last push for each said")
    func drawing() {
        let entries = [
            apns(alert("Pedido #1042 pago", "R$ 1.234,56 · Ana Souza", thread: "store-1")),
            fcm(
                ["title": "Order #1042 paid", "body": "R$1,234.56 · Ana Souza"],
                android: [
                    "priority": "high", "ttl": "3600s", "collapse_key": "order-1",
                    "notification": [
                        "channel_id": "orders", "tag": "order-1", "notification_count": 1,
                        "sound": "default",
                    ],
                ]),
        ]
        #expect(
            PhoneDrawing.of(Phone.all(entries)) == """

                ╭─ iPhone ───────────────────────────────╮   APNs, production: answered 200
                │               00:53 UTC                │
                │ ╭────────────────────────────────────╮ │   token             5e1f5e1f5e1f5e1f…5e1f
                │ │ Pedido #1042 pago                  │ │   apns-push-type    alert
                │ │ R$ 1.234,56 · Ana Souza            │ │   apns-priority     10
                │ ╰────────────────────────────────────╯ │   apns-topic        com.mobiari.merchant
                │          badge of the icon: 1          │   apns-collapse-id  order-1
                ╰────────────────────────────────────────╯   apns-id           eabeae54-14a8-11e5-b60b-1697f925ec7b
                                                             apns-expiration   1796003600 = 2026-11-30T01:53:20Z
                                                             thread-id         store-1
                                                             sound             default
                                                             badge             1

                ╭─ Android ──────────────────────────────╮   FCM: answered 200
                │               00:54 UTC                │
                │ ╭────────────────────────────────────╮ │   token         demo-android:A1b…A1b2
                │ │ Order #1042 paid                   │ │   priority      high
                │ │ R$1,234.56 · Ana Souza             │ │   ttl           3600s
                │ ╰────────────────────────────────────╯ │   collapse_key  order-1
                │          badge of the icon: 1          │   channel_id    orders
                ╰────────────────────────────────────────╯   tag           order-1
                                                             sound         default

                """)
    }

    @Test("show a later notice of the same key in the place of the earlier, and newest first")
    func collapse() {
        let entries = [
            apns(alert("one", "")), apns(alert("other", ""), key: "order-2"),
            apns(alert("two", ""), at: 5),
        ]
        #expect(titles(entries) == [["two", "other"]])
    }

    @Test("show neither what was refused nor what is silent")
    func unseen() {
        let entries = [
            apns(alert("gone", ""), status: 410), apns(["aps": ["content-available": 1]]),
        ]
        #expect(titles(entries) == [[]])
        #expect(PhoneDrawing.of(Phone.all([entries[0]])).contains("answered 410 Unregistered"))
        #expect(PhoneDrawing.of([]) == "Nothing has arrived yet.\n")
    }

    @Test("stack the notices of one thread")
    func threads() {
        let entries = (1...3).map {
            apns(alert("message \($0)", "", thread: "talk"), key: "message-\($0)")
        }
        let drawing = PhoneDrawing.of(Phone.all(entries))
        #expect(drawing.contains("message 3") && drawing.contains("and 2 more of this thread"))
        #expect(!drawing.contains("message 2"))
    }

    @Test(
        "keep every text inside its frame",
        arguments: [
            ("a customer whose name does not end on this line, nor on the next one, nor at all", 2),
            (String(repeating: "x", count: 90), 2), ("🛍️ 商品が入荷しました、ご確認ください、よろしく", 2),
            ("a\u{1B}[2J\nb", 1), ("abc\u{202E}def", 1), ("", 0),
        ])
    func frames(text: String, lines: Int) {
        let wrapped = TerminalText.wrap(text, 34, lines: 2)
        #expect(wrapped.count == lines)
        #expect(wrapped.allSatisfy { TerminalText.columns($0) <= 34 }, "\(wrapped)")
        let scalars = wrapped.joined().unicodeScalars
        #expect(!scalars.contains { $0.value < 0x20 || $0.value == 0x202E })
    }
}
