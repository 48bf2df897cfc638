import Alerts
import JSON
import Testing
import Values

@Suite("Four kilobytes, always")
struct FitTests {
    static let corpora: [(String, String)] = [
        ("CJK and emoji", "中🛒"), ("families", "👩‍👩‍👧‍👦"), ("flags", "🇧🇷"),
        ("right to left", "مرحبا \u{202E}"),
        ("quotes", "\"\\"), ("accents", "e\u{301}\u{302}"), ("letters", "abc "), ("braces", "{x}'"),
        ("marks", "z" + String(repeating: "\u{301}", count: 300)), ("Hindi", "क्‍षि"),
    ]

    static func push(_ unit: String, storeName: String) throws -> OutgoingPush {
        let name = String(String(repeating: unit, count: 80).unicodeScalars.prefix(200))
        let text = String(String(repeating: unit, count: 3000).unicodeScalars.prefix(10_000))
        let event = try Event.read([
            "id": "e", "type": "conversations.started",
            "data": [
                "conversation_id": .text(Fixtures.conversation), "customer_name": .text(name),
                "message": ["id": "m", "kind": "text", "text": .text(text)],
            ],
        ])
        let alert = try #require(
            Alert(
                raisedBy: event, id: Fixtures.alertID, store: Fixtures.store,
                receivedAt: Fixtures.time))
        let wording = Fixtures.wording
        return OutgoingPush(
            id: Fixtures.push, kind: alert.kind, alert: alert.id, store: alert.store,
            storeName: storeName, subject: alert.subject,
            text: try wording.text(
                of: alert.kind, alert.content, in: wording.catalogue.locale(for: ["pt"])),
            badge: 1, occurredAt: alert.occurredAt)
    }

    /// Whether a text is the whole one or whole characters of it and `…`.
    static func isBeginning(_ text: String?, of whole: String?) -> Bool {
        guard let text, let whole else { return text == nil && whole == nil }
        if text == whole { return true }
        guard text.hasSuffix("…") else { return false }
        let kept = text.dropLast()
        return Array(whole.prefix(kept.count)) == Array(kept)
    }

    @Test("whatever people write, a push fits, is UTF-8, and keeps its ids", arguments: corpora)
    func fits(name: String, unit: String) throws {
        for storeName in ["Loja", String(repeating: unit, count: 2000)] {
            let push = try Self.push(unit, storeName: storeName)
            let apns = APNsPayload(push, bundleID: "b")
            #expect(apns.body.count <= 4096)
            let json = try JSONValue.parse(apns.body)
            #expect(json["conversation_id"]?.text == Fixtures.conversation)
            #expect(json["alert_id"]?.text == Fixtures.alertID.description)
            let alert = try #require(json["aps"]?["alert"])
            #expect(Self.isBeginning(alert["body"]?.text, of: push.text.body))
            #expect(Self.isBeginning(alert["title"]?.text, of: push.text.title))
            #expect(Self.isBeginning(alert["subtitle"]?.text, of: Text.visible(storeName)))
            let fcm = FCMPayload(push, token: "t", now: Fixtures.time)
            #expect(fcm.countedBytes <= 4096)
            let message = try #require(try JSONValue.parse(fcm.body)["message"])
            #expect(Self.isBeginning(message["notification"]?["body"]?.text, of: push.text.body))
            #expect(message["data"]?["store_id"]?.text == Fixtures.store.description)
            #expect(Self.counted(message) == fcm.countedBytes)
        }
    }

    static func counted(_ message: JSONValue) -> Int {
        let parts = [
            message["notification"], message["data"], message["android"]?["notification"],
        ]
        return parts.reduce(0) { sum, part in
            (part?.object ?? JSONObject()).reduce(sum) {
                let value = $1.value.text.map { Array($0.utf8) } ?? $1.value.encoded
                return $0 + $1.key.utf8.count + value.count
            }
        }
    }

    static func sized(title: Int, subtitle: Int, body: Int) throws -> OutgoingPush {
        var push = try PayloadTests.outgoing("orders.paid")
        push.text = AlertText(
            title: String(repeating: "t", count: title),
            body: String(repeating: "b", count: body))
        push.storeName = String(repeating: "s", count: subtitle)
        return push
    }

    @Test(
        "the body gives way first, then the subtitle, then the title",
        arguments: [
            (10, 10, 10, []), (10, 10, 4000, [PushPart.body]), (10, 4000, 10, [.body, .subtitle]),
            (4000, 10, 10, [.body, .subtitle, .title]), (4000, 0, 0, [.title]),
            (4000, 2, 2, [.title]), (3000, 3000, 3000, [.body, .subtitle]),
        ] as [(Int, Int, Int, [PushPart])])
    func order(title: Int, subtitle: Int, body: Int, cut: [PushPart]) throws {
        let push = try Self.sized(title: title, subtitle: subtitle, body: body)
        let apns = APNsPayload(push, bundleID: "b")
        #expect(apns.cut == cut)
        #expect(apns.body.count <= 4096)
        // What was cut last fills the limit to the byte.
        if !cut.isEmpty { #expect(apns.body.count == 4096) }
        if cut.contains(.subtitle) { #expect(apns.text == "…") }
        if cut.contains(.title), subtitle > 3 { #expect(apns.subtitle == "…") }
    }

    @Test("the limit is met exactly and passed by one byte", arguments: [0, 1])
    func edge(over: Int) throws {
        let empty = try Self.sized(title: 1, subtitle: 1, body: 1)
        let room = 4096 - APNsPayload(empty, bundleID: "b").body.count
        let push = try Self.sized(title: 1, subtitle: 1, body: 1 + room + over)
        let payload = APNsPayload(push, bundleID: "b")
        #expect(payload.body.count == 4096)
        #expect(payload.cut == (over == 0 ? [] : [.body]))
    }

    @Test("the limit belongs to the envelope", arguments: [5120, 2000])
    func envelope(limit: Int) throws {
        var push = try Self.sized(title: 10, subtitle: 10, body: 6000)
        push.kind.envelope = Envelope(
            visibility: .visible, sound: nil, wireLife: .seconds(10),
            apns: .init(pushType: "voip", topicSuffix: ".voip", priority: 10, limit: limit),
            android: .init(priority: "high", limit: limit))
        #expect(APNsPayload(push, bundleID: "b").body.count == limit)
        #expect(FCMPayload(push, token: "t", now: Fixtures.time).countedBytes == limit)
    }

    @Test("a single character that exceeds the room is only an ellipsis")
    func grapheme() throws {
        var push = try PayloadTests.outgoing("orders.paid")
        push.text.body = "z" + String(repeating: "\u{301}", count: 3000)
        let payload = APNsPayload(push, bundleID: "b")
        #expect(payload.text == "…" && payload.cut == [.body])
    }

    @Test("a preview tells what would be cut and what it costs")
    func preview() throws {
        let push = try Self.sized(title: 10, subtitle: 10, body: 6000)
        let (apns, fcm) = Fixtures.wording.preview(push, now: Fixtures.time)
        #expect(apns.bytes == 4096 && apns.cut == [.body] && apns.subtitle == "ssssssssss")
        #expect(fcm.bytes == 4096 && fcm.cut == [.body] && fcm.subtitle == nil)
    }

    static let hostile =
        #""from":"x","google.x":1,"message_type":true,"gcm":{},"aps":{},"kind":"x","alert_id":"x""#

    @Test(
        "nothing of an event leaks into the data keys",
        arguments: EventType.all.filter { $0.alert != nil })
    func leaks(type: EventType) throws {
        let data = try #require(Fixtures.data[type.name])
        let push = try PayloadTests.outgoing(
            type.name, data.replacing("{\"", with: "{\(Self.hostile),\"", maxReplacements: 1))
        let allowed: [String]
        switch type.subject {
        case .order: allowed = ["kind", "alert_id", "store_id", "order_id"]
        case .stock: allowed = ["kind", "alert_id", "store_id", "product_id", "variant_id"]
        case .conversation: allowed = ["kind", "alert_id", "store_id", "conversation_id"]
        }
        let apns = try JSONValue.parse(APNsPayload(push, bundleID: "b").body)
        #expect(apns.object?.keys == ["aps"] + allowed)
        let fcm = try JSONValue.parse(FCMPayload(push, token: "t", now: Fixtures.time).body)
        let sent = try #require(fcm["message"]?["data"]?.object)
        #expect(sent.keys == allowed)
        #expect(sent.allSatisfy { $0.value.text != nil })
    }
}
