import Alerts
import Testing
import Values

/// One case and more for each step, in the order of the steps.
extension DecisionTests {
    /// One world in which somebody is asked; each case changes what its step asks about.
    struct World: Sendable {
        var type = "orders.paid"
        var data: String?
        var member = MemberFacts(
            user: Fixtures.user(1), permissions: Set(Permission.staffDefaults),
            devices: [DeviceFacts(id: Fixtures.device(1), transport: .apns)])
        var policy = PushPolicy()
        var assignee: AssigneeFacts?

        func decide() throws -> MemberDecision {
            let alert = try Fixtures.alert(type, data)
            return try #require(
                Recipients.decide(
                    alert,
                    AudienceFacts(
                        at: Fixtures.time, policy: policy, assignee: assignee, members: [member])
                ).first)
        }

        func recheck() throws -> Verdict {
            Recipients.recheck(
                PushedAlert(try Fixtures.alert(type, data)),
                PushFacts(
                    at: Fixtures.time, policy: policy, assignee: assignee, member: member,
                    device: Fixtures.device(1)))
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let expected: Reason
        /// What sending asks; nil: the same.
        var atSending: Reason?
        let change: @Sendable (inout World) -> Void

        init(
            _ name: String, _ expected: Reason, atSending: Reason? = nil,
            _ change: @escaping @Sendable (inout World) -> Void
        ) {
            self.name = name
            self.expected = expected
            self.atSending = atSending
            self.change = change
        }

        var testDescription: String { name }
    }

    static let other = AssigneeFacts(
        user: Fixtures.user(2), permissions: [.conversationsRead])
    static let me = AssigneeFacts(user: Fixtures.user(1), permissions: [.conversationsRead])
    static let message = "conversations.message_received"

    static func mute(
        _ subject: MuteSubject, _ id: String, until: Duration? = nil
    ) -> @Sendable (inout World) -> Void {
        { world in
            world.member.preferences.mutes = [
                Mute(subject: subject, id: id, until: until.map { Fixtures.time + $0 })
            ]
        }
    }

    static let cases: [Case] = [
        Case("all is well", .notified) { _ in },
        // 1
        Case("not a member any more", .notAMember) { $0.member.isActiveMember = false },
        // 2
        Case("without the permission for orders", .noPermission) {
            $0.member.permissions = [.inventoryRead, .conversationsRead]
        },
        Case("without the permission for stock", .noPermission) {
            $0.type = "inventory.stock_changed"
            $0.member.preferences.kinds = ["inventory.low_stock": true]
            $0.member.permissions = [.ordersRead, .conversationsRead]
        },
        Case("without the permission for conversations", .noPermission) {
            $0.type = message
            $0.member.permissions = [.ordersRead, .inventoryRead]
        },
        // 3
        Case("assigned to somebody else", .assignedToAnother) {
            $0.type = message
            $0.assignee = other
        },
        Case("assigned to nobody", .notified) { $0.type = message },
        Case("assigned to them", .notified) {
            $0.type = message
            $0.assignee = me
        },
        Case("handed over, assigned to somebody else", .assignedToAnother) {
            $0.type = "conversations.handed_over"
            $0.assignee = other
        },
        Case("started, assigned to somebody else", .assignedToAnother) {
            $0.type = "conversations.started"
            $0.assignee = other
        },
        Case("the assignee left the store: nobody", .notified) {
            $0.type = message
            $0.assignee = other
            $0.assignee?.isActiveMember = false
        },
        Case("the assignee lost the permission: nobody", .notified) {
            $0.type = message
            $0.assignee = other
            $0.assignee?.permissions = [.ordersRead]
        },
        Case("an order has no assignee", .notified) { $0.assignee = other },
        Case("the new assignee of an assignment", .notified) {
            $0.type = "conversations.assigned"
            $0.assignee = me
        },
        Case("an assignment to somebody else", .assignedToAnother) {
            $0.type = "conversations.assigned"
            $0.data = assigned(to: 2, by: 3)
            $0.assignee = other
        },
        Case("assigned on before it was decided", .assignedToAnother) {
            $0.type = "conversations.assigned"
            $0.assignee = other
        },
        Case("unassigned before it was decided", .assignedToAnother) {
            $0.type = "conversations.assigned"
        },
        // 4
        Case("who assigned it to themselves", .ownAction, atSending: .notified) {
            $0.type = "conversations.assigned"
            $0.data = assigned(to: 1, by: 1)
            $0.assignee = me
        },
        Case("assigned by nobody known", .notified) {
            $0.type = "conversations.assigned"
            $0.data = assigned(to: 1, by: nil)
            $0.assignee = me
        },
        // 5
        Case("store switched off", .storeDisabled) { $0.member.preferences.isEnabled = false },
        Case("store switched off, kind required", .storeDisabled) {
            $0.member.preferences.isEnabled = false
            $0.policy.required = ["orders.paid"]
        },
        // 6
        Case("kind switched off", .kindDisabled) {
            $0.member.preferences.kinds = ["orders.paid": false]
        },
        Case("kind switched off but required", .notified) {
            $0.member.preferences.kinds = ["orders.paid": false]
            $0.policy.required = ["orders.paid"]
        },
        Case("stock is off by default", .kindDisabled) { $0.type = "inventory.stock_changed" },
        Case("stock switched on", .notified) {
            $0.type = "inventory.stock_changed"
            $0.member.preferences.kinds = ["inventory.low_stock": true]
        },
        Case("stock on by the store's policy", .notified) {
            $0.type = "inventory.stock_changed"
            $0.policy.defaults = ["inventory.low_stock"]
        },
        Case("orders off by the store's policy", .kindDisabled) { $0.policy.defaults = [] },
        Case("saved before the kind existed: the default", .notified) {
            $0.member.preferences.isSaved = true
            $0.member.preferences.kinds = ["orders.created": false]
        },
        // 7
        Case("below the minimum of the currency", .belowMinimum) {
            $0.member.preferences.minimums = minimums("1234.57", "BRL")
        },
        Case("just at the minimum", .notified) {
            $0.member.preferences.minimums = minimums("1234.560", "BRL")
        },
        Case("a minimum of another currency", .notified) {
            $0.member.preferences.minimums = minimums("99999", "USD")
        },
        Case("below the minimum but required", .notified) {
            $0.member.preferences.minimums = minimums("99999", "BRL")
            $0.policy.required = ["orders.paid"]
        },
        Case("customer muted", .muted, mute(.customer, Fixtures.customer)),
        Case(
            "customer muted until later", .muted,
            mute(.customer, Fixtures.customer, until: .seconds(1))),
        Case(
            "customer muted until now", .notified,
            mute(.customer, Fixtures.customer, until: .zero)),
        Case("another customer muted", .notified, mute(.customer, Fixtures.order)),
        Case("conversation muted", .muted) {
            $0.type = message
            mute(.conversation, Fixtures.conversation)(&$0)
        },
        Case("customer of a conversation muted", .muted) {
            $0.type = message
            mute(.customer, Fixtures.customer)(&$0)
        },
        Case("variant muted", .muted) {
            $0.type = "inventory.stock_changed"
            mute(.variant, Fixtures.variant)(&$0)
            $0.member.preferences.kinds = ["inventory.low_stock": true]
        },
        Case("muted but required", .notified) {
            mute(.customer, Fixtures.customer)(&$0)
            $0.policy.required = ["orders.paid"]
        },
        // 8
        Case("no device", .noDevice) { $0.member.devices = [] },
        Case("a device whose transport cannot carry the kind", .noDevice) {
            $0.member.devices[0].transport = Transport(rawValue: "apns_voip")
        },
        // 9
        Case("session ended", .sessionExpired) { $0.member.devices[0].hasLiveSession = false },
        Case("session ended and provider missing", .sessionExpired) {
            $0.member.devices[0].hasLiveSession = false
            $0.member.devices[0].isProviderConfigured = false
        },
        // 10
        Case("provider missing", .providerNotConfigured) {
            $0.member.devices[0].isProviderConfigured = false
        },
    ]

    static func assigned(to user: Int, by actor: Int?) -> String {
        let by = actor.map { #","actor_id":"\#(Fixtures.user($0))""# } ?? ""
        return
            #"{"conversation_id":"\#(Fixtures.conversation)","assignee_id":"\#(Fixtures.user(user))"\#(by)}"#
    }

    static func minimums(_ amount: String, _ currency: String) -> [String: Amount] {
        Amount(amount).map { [currency: $0] } ?? [:]
    }
}
