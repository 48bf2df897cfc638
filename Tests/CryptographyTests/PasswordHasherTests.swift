import TestKit
import Testing
import Values

@testable import Cryptography

@Suite("Password hashes")
struct PasswordHasherTests {
    static let cheap = PasswordCost(kibibytes: 64, passes: 1)
    let hasher = PasswordHasher(cost: cheap)

    @Test("a hash is a PHC string that the password, and no other, opens")
    func roundTrip() async throws {
        let stored = try await hasher.hash(Secret("correct horse"))
        #expect(stored.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$"))
        #expect(try await hasher.verify(Secret("correct horse"), against: stored))
        #expect(try await !hasher.verify(Secret("correct horsf"), against: stored))
        #expect(try await !hasher.verify(Secret(""), against: stored))
    }

    @Test("the standard cost is 19 MiB and two passes")
    func standardCost() async throws {
        let stored = try await PasswordHasher().hash(Secret("p"))
        #expect(stored.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$"))
    }

    @Test("an old hash of another cost still opens")
    func otherCost() async throws {
        let stored = try await PasswordHasher(cost: .init(kibibytes: 128, passes: 3)).hash(
            Secret("p"))
        #expect(try await hasher.verify(Secret("p"), against: stored))
    }

    @Test("what is no hash is an error, not a wrong password", arguments: ["", "x", "$argon2id$"])
    func notAHash(stored: String) async {
        await #expect(throws: PasswordFault.self) {
            try await hasher.verify(Secret("p"), against: stored)
        }
    }

    @Test("beyond the limit a caller is told to come back, and those within are served")
    func bounded() async throws {
        let small = PasswordHasher(cost: .standard, threads: 1, limit: 3)
        let outcomes = await withTaskGroup(of: PasswordFault?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do throws(PasswordFault) {
                        _ = try await small.hash(Secret("p"))
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.contains(.busy))
        #expect(outcomes.count { $0 == nil } >= 3)
        #expect(outcomes.allSatisfy { $0 == nil || $0 == .busy })
        try await small.withPlace { try await $0.hashDummy(Secret("p")) }
    }

    @Test("a place is taken before there is work, kept through it, and given back")
    func places() async throws {
        let small = PasswordHasher(cost: Self.cheap, threads: 1, limit: 1)
        let stored = try await small.hash(Secret("p"))
        for isFailing in [false, true] {
            do {
                try await small.withPlace { place in
                    await #expect(throws: PasswordFault.busy) { try await small.hash(Secret("p")) }
                    await #expect(throws: PasswordFault.busy) { try await small.withPlace { _ in } }
                    #expect(try await place.verify(Secret("p"), against: stored))
                    await #expect(throws: PasswordFault.busy) { try await small.hash(Secret("p")) }
                    if isFailing { throw CancellationError() }
                }
                #expect(!isFailing)
            } catch is CancellationError {
                #expect(isFailing)
            }
        }
        _ = try await small.hash(Secret("p"))
    }

    @Test("two hashes are made at once on threads of their own, and the others wait for them")
    func twoAtOnce() async throws {
        let gate = ThreadGate()
        gate.close()
        let hasher = PasswordHasher(cost: Self.cheap, begins: { gate.pass() })
        async let hashes = withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<6 { group.addTask { try await hasher.hash(Secret("p")) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(await gate.waits(for: 2))
        // Were there a third thread, it would have come by now; and whoever needs Swift's threads
        // gets them while six callers wait.
        for _ in 0..<100 { _ = try await self.hasher.hash(Secret("q")) }
        #expect(gate.count == 2)
        gate.open()
        #expect(try await hashes.count == 6)
    }
}
