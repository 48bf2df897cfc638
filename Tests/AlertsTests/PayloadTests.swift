import Alerts
import Testing
import Values

@Suite("What travels")
struct PayloadTests {
    static func outgoing(
        _ type: String, _ data: String? = nil, in language: String = "pt", badge: Int? = 3,
        storeName: String? = "Loja Azul"
    ) throws -> OutgoingPush {
        if type == "test" {
            let wording = Fixtures.wording
            let text = try wording.text(
                of: .test, AlertContent(), in: wording.catalogue.locale(for: [language]))
            return .test(id: Fixtures.push, text: text, now: Fixtures.time)
        }
        // An assignment names its customer only by what the platform knows.
        let known = KnownSubject(customerName: "Ana Souza")
        let alert = try Fixtures.alert(type, data, known: known)
        return OutgoingPush(
            id: Fixtures.push, kind: alert.kind, alert: alert.id, store: alert.store,
            storeName: storeName, subject: alert.subject,
            text: try Fixtures.text(type, data, in: language, known: known), badge: badge,
            occurredAt: alert.occurredAt)
    }

    static func apns(_ push: OutgoingPush) -> String {
        let payload = APNsPayload(push, bundleID: "com.mobiari.merchant")
        let headers = payload.headers.map { "\($0.name): \($0.value)\n" }.joined()
        return headers + String(decoding: payload.body, as: UTF8.self)
    }

    static func fcm(_ push: OutgoingPush, now: Timestamp = Fixtures.time) -> String {
        String(decoding: FCMPayload(push, token: "fcm:token", now: now).body, as: UTF8.self)
    }

    @Test("every kind travels as pinned, in both languages, to both providers", arguments: Pins.all)
    func pinned(pin: Pins.Pin) throws {
        let push = try Self.outgoing(pin.type, in: pin.language)
        #expect(Self.apns(push) == pin.apns)
        #expect(Self.fcm(push) == pin.fcm)
    }

    @Test("every kind that has texts is pinned")
    func complete() {
        let kinds = Set(Pins.all.map { EventType.named($0.type)?.alert?.name ?? $0.type })
        #expect(kinds == Set(AlertKind.worded.map(\.name)))
    }

    @Test(
        "a badge of 0 clears an iPhone's icon and is left out on Android; none is none",
        arguments: [
            (0, #""badge":0"#, false), (3, #""badge":3"#, true), (nil, nil, false),
        ] as [(Int?, String?, Bool)])
    func badge(badge: Int?, apns: String?, isCounted: Bool) throws {
        let push = try Self.outgoing("orders.paid", badge: badge)
        let body = Self.apns(push)
        #expect(body.contains(#""badge""#) == (apns != nil))
        if let apns { #expect(body.contains("\(apns),")) }
        #expect(Self.fcm(push).contains("notification_count") == isCounted)
    }

    @Test(
        "the time to live is what is left of the hour, rounded up",
        arguments: [
            (Duration.zero, "3600s"), (.microseconds(1), "3600s"), (.milliseconds(999), "3600s"),
            (.seconds(1), "3599s"), (.milliseconds(1001), "3599s"), (.seconds(3599), "1s"),
            (.seconds(3600), "0s"), (.seconds(4000), "0s"),
        ])
    func timeToLive(age: Duration, expected: String) throws {
        let push = try Self.outgoing("orders.paid")
        #expect(Self.fcm(push, now: Fixtures.time + age).contains(#""ttl":"\#(expected)""#))
    }

    @Test("the expiry is the event's time and an hour, in seconds")
    func expiry() throws {
        let push = try Self.outgoing("orders.paid")
        #expect(Self.apns(push).contains("apns-expiration: 1793182443\n"))
    }

    static let long = String(repeating: "a", count: 64)

    @Test("collapse keys fit 64 bytes, keep their beginning and stay apart")
    func collapse() throws {
        var push = try Self.outgoing("orders.cancelled")
        #expect(push.collapseKey == "order-cancelled-\(Fixtures.order)")
        push.subject["order_id"] = Self.long
        let first = try #require(push.collapseKey)
        push.subject["order_id"] = String(Self.long.dropLast()) + "b"
        let second = try #require(push.collapseKey)
        #expect(first.utf8.count == 64 && second.utf8.count == 64 && first != second)
        #expect(first.hasPrefix("order-cancelled-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-"))
        push.subject["order_id"] = nil
        #expect(push.collapseKey == nil)
        #expect(!Self.apns(push).contains("collapse"))
        #expect(!Self.fcm(push).contains("collapse"))
    }

    @Test(
        "a store without a name that can be seen has no subtitle",
        arguments: [nil, "", "\u{202E} "])
    func subtitle(name: String?) throws {
        #expect(try !Self.apns(Self.outgoing("orders.paid", storeName: name)).contains("subtitle"))
    }

    @Test("a token stands in the path in lower case")
    func path() {
        #expect(APNsPayload.path(token: "ABCDEF01") == "/3/device/abcdef01")
    }

    @Test("a silent envelope has no visible part and keeps its own carrier")
    func silent() throws {
        var push = try Self.outgoing("orders.paid")
        push.kind.envelope = Envelope(
            visibility: .silent, sound: nil, wireLife: .seconds(30),
            apns: .init(pushType: "background", topicSuffix: ".x", priority: 5, limit: 4096),
            android: .init(priority: "normal", limit: 4096))
        let apns = Self.apns(push)
        #expect(apns.hasPrefix("apns-topic: com.mobiari.merchant.x\napns-push-type: background\n"))
        #expect(apns.contains(#"{"aps":{"content-available":1},"kind":"orders.paid","#))
        let fcm = Self.fcm(push)
        #expect(!fcm.contains("notification") && fcm.contains(#""ttl":"30s""#))
    }
}
