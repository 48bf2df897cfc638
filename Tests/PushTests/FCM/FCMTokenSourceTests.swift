import Runtime
import Testing
import Values

@testable import Push

@Suite("The access token of FCM")
struct FCMTokenSourceTests {
    typealias Answer = Result<FCMAccessToken, FCMTokenFault>

    let clock = TestClock()
    /// How often was fetched, and what the next fetches give; the last is given for ever.
    let fetches = Lock(0)
    let answers = Lock<[Answer]>([])

    func source(_ answers: [Answer]) -> FCMTokenSource {
        self.answers.withLock { $0 = answers }
        return FCMTokenSource(
            clock: clock.push, log: .silent, metrics: PushMetrics(Metrics(), .fcm())
        ) { [self] _ in
            fetches.withLock { $0 += 1 }
            return self.answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
    }

    func token(
        _ source: FCMTokenSource, otherThan number: Int = 0, isPatient: Bool = true
    ) async -> FCMTokenSource.Answer {
        await withCheckedContinuation { continuation in
            source.token(
                otherThan: number, isPatient: isPatient, deadline: .after(.seconds(20))
            ) {
                continuation.resume(returning: $0)
            }
        }
    }

    static func access(_ text: String, life: Int = 3599) -> Answer {
        .success(FCMAccessToken(text: Secret(text), life: .seconds(life)))
    }

    static let down = Answer.failure(.unavailable(status: 503, reason: "http_503"))

    @Test("a thousand who wait get one fetch")
    func stampede() async throws {
        let source = source([Self.access("a")])
        let bearers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<1000 {
                group.addTask { try await token(source).get().bearer.reveal() }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(bearers == ["Bearer a"])
        #expect(fetches.withLock { $0 } == 1)
    }

    @Test(
        "it is kept until five minutes before it ends, a short one for half its life",
        arguments: [
            (3599, 0, 1), (3599, 3298, 1), (3599, 3299, 2), (3599, 9999, 2), (400, 199, 1),
            (400, 200, 2), (1, 0, 1), (1, 1, 2),
        ])
    func life(life: Int, age: Int, expected: Int) async throws {
        let source = source([Self.access("a", life: life)])
        _ = await token(source)
        clock.advance(.seconds(age))
        #expect(try await token(source).get().number == expected)
        #expect(fetches.withLock { $0 } == expected)
    }

    @Test("one that was refused is replaced once for all who had it")
    func refused() async throws {
        let source = source([Self.access("a"), Self.access("b")])
        _ = await token(source)
        let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<300 {
                group.addTask { try await token(source, otherThan: 1).get().number }
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(numbers == [2])
        #expect(fetches.withLock { $0 } == 2)
        #expect(try await token(source).get().number == 2)
    }

    @Test("a fault is everybody's answer for a second; then, or for the doctor, it is asked again")
    func failure() async throws {
        let source = source([Self.down, Self.down, Self.access("a")])
        for _ in 0..<100 {
            guard case .failure(.unavailable(503, _)) = await token(source) else {
                Issue.record("a token out of nowhere")
                return
            }
        }
        #expect(fetches.withLock { $0 } == 1)
        _ = await token(source, isPatient: false)
        #expect(fetches.withLock { $0 } == 2)
        clock.advance(.seconds(1))
        #expect(try await token(source).get().number == 1)
    }

    @Test("in its last minutes a token still carries pushes when no new one is to be had")
    func lastMinutes() async throws {
        let source = source([Self.access("a"), Self.down])
        _ = await token(source)
        clock.advance(.seconds(3400))
        #expect(try await token(source).get().number == 1)
        #expect(try await token(source).get().number == 1)
        #expect(fetches.withLock { $0 } == 2)
        clock.advance(.seconds(199))
        guard case .failure = await token(source) else {
            Issue.record("a token beyond its end")
            return
        }
    }
}
