import Alerts
import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("Devices")
struct DeviceTests {
    @Test("twenty equal registrations at once make one device")
    func parallel() async throws {
        try await World.run { world in
            let ana = try await world.person()
            let answers = try await withThrowingTaskGroup(of: Devices.RegistrationAnswer.self) {
                group in
                for _ in 0..<20 {
                    group.addTask { try await world.device(of: ana, token: "same") }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let created = answers.count { if case .created = $0 { true } else { false } }
            #expect(created == 1)
            #expect(Set(answers.map(\.device)).count == 1)
            #expect(try await world.count("select count(*) from sineta.devices") == 1)
        }
    }

    @Test("two sessions that register one new token at once never collide")
    func twoSessions() async throws {
        try await World.run { world in
            let ana = try await world.person()
            let bia = try await world.person("bia")
            for number in 0..<10 {
                async let one = world.device(of: ana, token: "t\(number)")
                async let two = world.device(of: bia, token: "t\(number)")
                let answers = try await [one, two]
                let created = answers.count { if case .created = $0 { true } else { false } }
                #expect(created == 1)
            }
        }
    }

    @Test("a token of somebody else moves: they lose it, and the new owner gets a new id")
    func move() async throws {
        try await World.run { world in
            let ana = try await world.person()
            let bia = try await world.person("bia")
            let first = try await world.device(of: ana, token: "t")
            let second = try await world.device(of: bia, token: "t")
            guard case .moved(let id) = second else {
                Issue.record("\(second)")
                return
            }
            #expect(id != first.device)
            let removed = try await world.run(ana.credential) { transaction in
                try Devices.removals(transaction.query(Devices.removed(Page(limit: 10))))
            }
            #expect(removed.map(\.reason) == ["token_moved"])
            let left = try await world.run(ana.credential) { transaction in
                try Devices.lines(transaction.query(Devices.list(Page(limit: 10))))
            }
            #expect(left.isEmpty)
        }
    }

    @Test("two people who swap tokens at once never hold each other")
    func swap() async throws {
        try await World.run { world in
            let ana = try await world.person()
            let bia = try await world.person("bia")
            try await world.device(of: ana, token: "a")
            try await world.device(of: bia, token: "b")
            for _ in 0..<5 {
                async let one = world.device(of: ana, token: "b")
                async let two = world.device(of: bia, token: "a")
                _ = try await [one, two]
                async let three = world.device(of: ana, token: "a")
                async let four = world.device(of: bia, token: "b")
                _ = try await [three, four]
            }
            #expect(try await world.count("select count(*) from sineta.devices") == 2)
        }
    }

    @Test("another token of the same session replaces the first; of another session it does not")
    func replace() async throws {
        try await World.run { world in
            let ana = try await world.person()
            let other = try await world.signIn(ana.id, ana.email)
            try await world.device(of: ana, token: "one")
            try await world.device(of: other, token: "two")
            let next = try await world.device(of: ana, token: "three")
            guard case .created = next else {
                Issue.record("\(next)")
                return
            }
            let tokens = try await world.rows("select token from sineta.devices order by token")
            #expect(try tokens.map { try $0.text(0) } == ["three", "two"])
            try await world.device(of: ana, token: "android", platform: "android")
            #expect(try await world.count("select count(*) from sineta.devices") == 3)
        }
    }

    @Test("absent fields keep their value, null clears them, a known token keeps its id")
    func fields() async throws {
        try await World.run { world in
            let ana = try await world.person()
            var registration = DeviceRegistration(
                platform: "ios", transport: "apns", app: "app", token: Secret("t"))
            registration.deviceName = .value("Phone")
            registration.locale = .value("pt-BR")
            registration.environment = .value("sandbox")
            registration.capabilities = .value(["rings"])
            func register(_ registration: DeviceRegistration) async throws
                -> Devices.RegistrationAnswer
            {
                try await world.run(ana.credential) { transaction in
                    try Devices.register(registration, id: DeviceID(.v7()), in: transaction)
                }
            }
            let first = try await register(registration)
            registration.deviceName = .unchanged
            registration.locale = .none
            registration.environment = .unchanged
            let second = try await register(registration)
            guard case .known(let id) = second else {
                Issue.record("\(second)")
                return
            }
            #expect(id == first.device)
            let lines = try await world.run(ana.credential) { transaction in
                try Devices.lines(transaction.query(Devices.list(Page(limit: 10))))
            }
            #expect(lines.count == 1)
            #expect(lines[0].deviceName == "Phone")
            #expect(lines[0].locale == nil)
            #expect(lines[0].environment == "sandbox")
            #expect(lines[0].isActive)
        }
    }

    @Test("a session that ended registers nothing")
    func endedSession() async throws {
        try await World.run { world in
            let ana = try await world.person()
            let answer = try await world.run(ana.credential) { transaction in
                try Sessions.logout(hash: ana.access, in: transaction)
                return try Devices.register(
                    DeviceRegistration(
                        platform: "ios", transport: "apns", app: "app", token: Secret("t")),
                    id: DeviceID(.v7()), in: transaction)
            }
            #expect(answer == .sessionEnded)
        }
    }

    @Test("somebody else's device can be neither seen nor deleted")
    func foreign() async throws {
        try await World.run { world in
            let ana = try await world.person()
            let eve = try await world.person("eve")
            guard let device = try await world.device(of: ana).device else { return }
            let (removed, target) = try await world.run(eve.credential) { transaction in
                (
                    try Devices.remove(device, in: transaction),
                    try Devices.target(device, of: ana.id, in: transaction) != nil
                )
            }
            #expect(!removed)
            #expect(!target)
            #expect(try await world.count("select count(*) from sineta.devices") == 1)
        }
    }
}
