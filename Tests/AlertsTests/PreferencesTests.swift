import Alerts
import JSON
import Testing

@Suite("Preferences")
struct PreferencesTests {
    static let all = Set(Permission.staffDefaults)

    static func enabled(_ preferences: Preferences, _ policy: PushPolicy = PushPolicy()) -> [String]
    {
        preferences.enabled(with: all, under: policy).map(\.name)
    }

    @Test("until a member saves, everything but stock is on")
    func defaults() {
        #expect(
            Self.enabled(Preferences()) == [
                "orders.created", "orders.paid", "orders.cancelled", "conversations.started",
                "conversations.message_received", "conversations.handed_over",
                "conversations.assigned",
            ])
        #expect(
            Self.enabled(Preferences(), PushPolicy(defaults: ["orders.paid"])) == ["orders.paid"])
    }

    @Test("saving nothing is a choice")
    func nothing() throws {
        let saved = try Preferences().replacing(
            isEnabled: true, events: [], permissions: Self.all, policy: PushPolicy())
        #expect(saved.isSaved)
        #expect(Self.enabled(saved) == [])
    }

    @Test("repeats count once, minimums and mutes stay")
    func repeats() throws {
        var before = Preferences()
        before.minimums = ["BRL": try #require(Amount("10"))]
        let saved = try before.replacing(
            isEnabled: false, events: ["orders.paid", "orders.paid"], permissions: Self.all,
            policy: PushPolicy())
        #expect(Self.enabled(saved) == ["orders.paid"])
        #expect(!saved.isEnabled)
        #expect(saved.minimums == before.minimums)
    }

    @Test("a kind that could not be seen when they saved follows the default")
    func unseen() throws {
        let saved = try Preferences().replacing(
            isEnabled: true, events: ["orders.paid"], permissions: [.ordersRead],
            policy: PushPolicy())
        #expect(saved.kinds["conversations.started"] == nil)
        #expect(Self.enabled(saved).contains("conversations.started"))
        #expect(!Self.enabled(saved).contains("orders.created"))
        #expect(!Self.enabled(saved).contains("inventory.low_stock"))
    }

    @Test("every fault of a refused list is named")
    func faults() {
        #expect {
            try Preferences().replacing(
                isEnabled: true, events: ["orders.eaten", "inventory.low_stock", "test"],
                permissions: [.ordersRead], policy: PushPolicy(required: ["orders.paid"]))
        } throws: { error in
            (error as? PreferenceFaults)?.faults.map { "\($0.pointer) \($0.code.rawValue)" } == [
                "/enabled_events/0 unknown_value", "/enabled_events/1 event_not_available",
                "/enabled_events/2 unknown_value", "/enabled_events locked_by_policy",
            ]
        }
    }

    @Test("a required kind that the member cannot see is not asked of them")
    func requiredUnseen() throws {
        let saved = try Preferences().replacing(
            isEnabled: true, events: [], permissions: [.inventoryRead],
            policy: PushPolicy(required: ["orders.paid"]))
        #expect(saved.kinds == ["inventory.low_stock": false])
    }

    @Test(
        "minimums are decimals per currency",
        arguments: [
            (#"{"BRL":"100.00","USD":"0"}"#, []), (#"{}"#, []), ("[]", [" type"]),
            (
                #"{"brl":"1","BRL":1,"USD":"x","EUR":"-1","a/b":"1"}"#,
                ["/brl format", "/BRL type", "/USD format", "/EUR range", "/a~1b format"]
            ),
        ] as [(String, [String])])
    func minimums(text: String, faults: [String]) throws {
        let value = try Fixtures.parse(text)
        do {
            #expect(try Preferences.readMinimums(value).count == value.object?.count)
            #expect(faults.isEmpty)
        } catch {
            #expect(error.faults.map { "\($0.pointer) \($0.code.rawValue)" } == faults)
        }
    }

    @Test("roles hold what they hold")
    func roles() {
        #expect(Role.owner.permissions(granted: []) == Set(Permission.all))
        #expect(Role.admin.permissions(granted: []) == Set(Permission.all))
        #expect(Role.staff.permissions(granted: [.ordersRead]) == [.ordersRead])
    }
}

@Suite("Exact amounts")
struct AmountTests {
    static let ascending = [
        "-12345678901234567890.5", "-100", "-10.01", "-10.0", "-9", "-0.0000000001", "0",
        "0.0000000001", "0.1", "0.11", "9", "9.99", "10", "100", "99999999999999999999.9999999999",
    ]

    @Test("amounts compare by value, whatever their digits")
    func order() throws {
        let amounts = try Self.ascending.map { try #require(Amount($0)) }
        for (left, first) in amounts.enumerated() {
            for (right, second) in amounts.enumerated() {
                #expect((first < second) == (left < right), "\(first) \(second)")
            }
        }
    }

    @Test(
        "equal values are equal however they are written",
        arguments: [
            ("1", "1.00"), ("0", "-0.0"), ("007.5", "7.50"), ("-1.0", "-1"),
        ])
    func equal(left: String, right: String) throws {
        let (left, right) = (try #require(Amount(left)), try #require(Amount(right)))
        #expect(left == right && !(left < right) && !(right < left))
    }

    @Test(
        "what is no plain decimal is none",
        arguments: [
            "", "-", ".", "1.", ".5", "+1", "1e5", "1,5", " 1", "1 ", "--1", "1.2.3", "٣",
            "123456789012345678901", "0.12345678901",
        ])
    func refused(text: String) {
        #expect(Amount(text) == nil)
    }
}
