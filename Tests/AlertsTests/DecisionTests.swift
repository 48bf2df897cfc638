import Alerts
import Testing
import Values

@Suite("Who must know")
struct DecisionTests {
    @Test("every step has its reason, when decided and when sent", arguments: cases)
    func steps(row: Case) throws {
        var world = World()
        row.change(&world)
        #expect(try world.decide().verdict.reason == row.expected)
        #expect(try world.recheck().reason == row.atSending ?? row.expected)
    }

    @Test("the first no in the order of the steps is the reason")
    func order() throws {
        var world = World()
        world.type = "conversations.assigned"
        world.data = Self.assigned(to: 1, by: 1)
        world.assignee = Self.other
        world.member.isActiveMember = false
        world.member.permissions = []
        world.member.preferences.isEnabled = false
        world.member.preferences.kinds = ["conversations.assigned": false]
        Self.mute(.conversation, Fixtures.conversation)(&world)
        world.member.devices = []
        let mends: [(Reason, (inout World) -> Void)] = [
            (.notAMember, { $0.member.isActiveMember = true }),
            (.noPermission, { $0.member.permissions = [.conversationsRead] }),
            (.assignedToAnother, { $0.assignee = Self.me }),
            (.ownAction, { $0.data = Self.assigned(to: 1, by: 2) }),
            (.storeDisabled, { $0.member.preferences.isEnabled = true }),
            (.kindDisabled, { $0.member.preferences.kinds = [:] }),
            (.muted, { $0.member.preferences.mutes = [] }),
            (
                .noDevice,
                {
                    $0.member.devices = [
                        DeviceFacts(
                            id: Fixtures.device(1), transport: .fcm, hasLiveSession: false,
                            isProviderConfigured: false)
                    ]
                }
            ),
            (.sessionExpired, { $0.member.devices[0].hasLiveSession = true }),
            (.providerNotConfigured, { $0.member.devices[0].isProviderConfigured = true }),
            (.notified, { _ in }),
        ]
        for (reason, mend) in mends {
            #expect(try world.decide().verdict.reason == reason)
            mend(&world)
        }
    }

    @Test(
        "each device has its own line and the member carries the furthest step",
        arguments: [
            ([true, true], [true, false], Reason.notified),
            ([false, true], [true, false], Reason.providerNotConfigured),
            ([false, false], [true, false], Reason.sessionExpired),
        ])
    func devices(sessions: [Bool], providers: [Bool], expected: Reason) throws {
        var world = World()
        world.member.devices = zip(sessions, providers).enumerated().map { index, facts in
            DeviceFacts(
                id: Fixtures.device(index), transport: .apns, hasLiveSession: facts.0,
                isProviderConfigured: facts.1)
        }
        let decision = try world.decide()
        #expect(decision.verdict.reason == expected)
        #expect(
            decision.devices.map(\.verdict.reason)
                == zip(sessions, providers).map { session, provider in
                    session ? provider ? .notified : .providerNotConfigured : .sessionExpired
                })
        #expect(decision.isInInbox)
    }

    @Test("the inbox has what the person was to know, whatever became of the push")
    func inbox() throws {
        for row in Self.cases {
            var world = World()
            row.change(&world)
            let decision = try world.decide()
            let late: [Reason] = [.notified, .noDevice, .sessionExpired, .providerNotConfigured]
            #expect(decision.isInInbox == late.contains(decision.verdict.reason), "\(row.name)")
            #expect(decision.isInInbox || decision.devices.isEmpty)
        }
    }

    @Test("a held-back alert names the setting that held it")
    func filter() throws {
        var world = World()
        world.member.preferences.minimums = Self.minimums("2000", "BRL")
        #expect(try world.decide().filter == "minimum BRL 2000")
        world.member.preferences.minimums = [:]
        Self.mute(.customer, Fixtures.customer)(&world)
        #expect(try world.decide().filter == "customer \(Fixtures.customer)")
    }

    @Test("at sending only the push's own device counts, and nobody is nobody")
    func sending() throws {
        var world = World()
        world.member.devices.append(
            DeviceFacts(id: Fixtures.device(2), transport: .apns))
        world.member.devices[0].hasLiveSession = false
        #expect(try world.recheck().reason == .sessionExpired)
        world.member.devices.removeFirst()
        #expect(try world.recheck().reason == .noDevice)
        let alert = PushedAlert(try Fixtures.alert("orders.paid"))
        #expect(
            Recipients.recheck(
                alert, PushFacts(at: Fixtures.time, member: nil, device: Fixtures.device(1)))
                == .no(.notAMember))
    }

    @Test("a decision is kept and read back whole")
    func kept() throws {
        for row in Self.cases {
            var world = World()
            row.change(&world)
            var decision = try world.decide()
            for index in decision.devices.indices { decision.devices[index].push = Fixtures.push }
            #expect(MemberDecision(json: decision.json) == decision)
        }
    }

    @Test("coverage counts who would hear a kind, whatever its subject")
    func coverage() {
        var members = (1...4).map { number in
            MemberFacts(
                user: Fixtures.user(number), permissions: [.conversationsRead],
                devices: [DeviceFacts(id: Fixtures.device(number), transport: .fcm)])
        }
        members[1].devices = []
        members[2].preferences.kinds = ["conversations.assigned": false]
        members[3].permissions = []
        let facts = AudienceFacts(at: Fixtures.time, members: members)
        let coverage = Recipients.coverage(of: .conversationsAssigned, facts)
        #expect(coverage.members == 4 && coverage.wouldAlert == 1 && !coverage.isWarning)
        #expect(coverage.blocked == [.noDevice: 1, .kindDisabled: 1, .noPermission: 1])
        #expect(Recipients.coverage(of: .ordersPaid, facts).isWarning)
    }
}
