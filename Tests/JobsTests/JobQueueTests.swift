import JSON
import Jobs
import Postgres
import Storage
import TestKit
import Testing
import Values

@Suite("The jobs table", .timeLimit(.minutes(2)))
struct JobQueueTests {
    @Test("a job comes back from the table as it was put in")
    func roundTrip() async throws {
        try await Bench.with { bench in
            let store = StoreID(.v7())
            let job = NewJob(
                lane: Bench.urgent, kind: "alerts.decide", store: store, subject: .v7(),
                target: .v7(), member: .v7(), raisedAt: Timestamp(seconds: 1_000_000),
                expiresAt: Timestamp(seconds: 1_003_600), args: Array(#"{"a": 1}"#.utf8))
            try await bench.add([job])
            let claim = try await bench.claim()
            let back = try #require(claim.jobs.first)
            #expect(claim.jobs.count == 1)
            #expect(back.id == job.id)
            #expect(back.lane == job.lane)
            #expect(back.kind == job.kind)
            #expect(back.store == store)
            #expect(back.subject == job.subject)
            #expect(back.target == job.target)
            #expect(back.member == job.member)
            #expect(back.raisedAt == job.raisedAt)
            #expect(back.expiresAt == job.expiresAt)
            #expect(back.args == job.args)
            #expect(back.attempts == 0 && back.losses == 0)
        }
    }

    @Test("what a transaction added is not there before its commit, nor after its rollback")
    func transactional() async throws {
        try await Bench.with { bench in
            let store = StoreID(.v7())
            let outcome = await #expect(throws: Changed.self) {
                try await bench.pool.transaction(deadline: bench.soon) { transaction in
                    let job = NewJob(
                        lane: Bench.urgent, kind: "a", store: store, raisedAt: .now())
                    try JobQueue.enqueue([job], in: transaction)
                    throw Changed(rows: try transaction.query("select 1 from sineta.jobs").count)
                }
            }
            #expect(outcome == Changed(rows: 1))
            let jobs = try await bench.claim().jobs
            #expect(jobs.isEmpty)
        }
    }

    struct Changed: Error, Equatable { let rows: Int }

    @Test("a claimed job is not claimed again while its lease lasts")
    func leased() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(5)
            let first = try await bench.claim(quota: 3)
            let second = try await bench.claim(quota: 10)
            #expect(first.jobs.count == 3)
            #expect(first.isFull)
            #expect(second.jobs.count == 2)
            #expect(!second.isFull)
            #expect(Set(first.jobs.map(\.id)).isDisjoint(with: second.jobs.map(\.id)))
            #expect(try await bench.claim().jobs.isEmpty)
        }
    }

    @Test("a job whose lease ran out is claimed again and counts a loss, not an attempt")
    func leaseRunsOut() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(1)
            let first = try await bench.claim(lease: .zero)
            let second = try await bench.claim()
            #expect(second.jobs.map(\.id) == first.jobs.map(\.id))
            #expect(second.jobs.map(\.losses) == [1])
            #expect(second.jobs.map(\.attempts) == [0])
        }
    }

    @Test("no write-back changes a job that another worker took over")
    func fenced() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(1)
            let old = try await bench.claim(lease: .zero).jobs.map(\.held)
            let new = try await bench.claim().jobs.map(\.held)
            let queue = bench.queue
            let soon = bench.soon
            #expect(try await queue.finish(old, deadline: soon).isEmpty)
            #expect(try await queue.giveBack(old, deadline: soon).isEmpty)
            let burials = old.map { Burial(job: $0, reason: "x", countsAsAttempt: true) }
            #expect(try await queue.bury(burials, deadline: soon).isEmpty)
            let moves = old.map { (job: $0, lane: Bench.bulk) }
            #expect(try await queue.place(moves, deadline: soon).isEmpty)
            let advanced = try await bench.pool.transaction(deadline: soon) {
                try JobQueue.advance(
                    old[0], args: Array("{}".utf8), lease: .seconds(30), in: $0)
            }
            #expect(!advanced)
            #expect(try await queue.finish(new, deadline: soon) == Set(new.map(\.id)))
            #expect(try await bench.alive == 0)
        }
    }

    @Test("results of several claims are finished in one statement, each by its own lease")
    func manyLeases() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(4)
            let held = try await bench.claim(quota: 2).jobs + bench.claim(quota: 2).jobs
            let swapped = zip(held, held.reversed()).map {
                HeldJob(id: $0.id, lease: $1.lease)
            }
            #expect(try await bench.queue.finish(swapped, deadline: bench.soon).isEmpty)
            let done = try await bench.queue.finish(held.map(\.held), deadline: bench.soon)
            #expect(done == Set(held.map(\.id)))
        }
    }

    @Test("a postponed job waits for its time, with its attempt counted and told")
    func postponed() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(2)
            let jobs = try await bench.claim().jobs
            let attempt = Attempt(
                at: Timestamp(microseconds: 1), status: 503, reason: "Shutdown")
            let postponements = [
                Postponement(
                    job: jobs[0].held, wait: .zero, countsAsAttempt: true, reason: "Shutdown",
                    attempt: attempt.encoded),
                Postponement(job: jobs[1].held, wait: .seconds(600), countsAsAttempt: true),
            ]
            _ = try await bench.queue.postpone(postponements, deadline: bench.soon)
            let again = try await bench.claim().jobs
            #expect(again.map(\.id) == [jobs[0].id])
            #expect(again.map(\.attempts) == [1])
            #expect(again.map(\.tries) == [[attempt]])
            #expect(again.map(\.losses) == [0])
            let row = try await bench.pool.query(
                "select last_error, tries from sineta.jobs where id = $1", .id(jobs[0].id),
                deadline: bench.soon
            ).first
            #expect(try row?.text(0) == "Shutdown")
            let tries = try JSONValue.parse(row?.json(1) ?? []).array
            #expect(tries?.count == 1)
            #expect(tries?.first?.object?["status"] == 503)
        }
    }

    @Test("what is given back is due at once, without attempt or loss")
    func givenBack() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(1)
            let first = try await bench.claim().jobs
            _ = try await bench.queue.giveBack(first.map(\.held), deadline: bench.soon)
            let again = try await bench.claim().jobs
            #expect(again.map(\.id) == first.map(\.id))
            #expect(again.map(\.attempts) == [0] && again.map(\.losses) == [0])
        }
    }

    @Test("a buried job lies among the dead with all that it had, and can be revived once")
    func buried() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(1, kind: "alerts.decide")
            let job = try #require(try await bench.claim().jobs.first)
            let burial = Burial(
                job: job.held, reason: "PayloadTooLarge", countsAsAttempt: true,
                attempt: Attempt(at: .now(), status: 413, reason: "PayloadTooLarge").encoded)
            _ = try await bench.queue.bury([burial], deadline: bench.soon)
            #expect(try await bench.alive == 0)
            let letters = try await bench.pool.transaction(deadline: bench.soon) {
                try JobQueue.deadLetters(
                    DeadLetterFilter(reason: "PayloadTooLarge"), before: nil, limit: 10, in: $0)
            }
            let letter = try #require(letters.first)
            #expect(letter.id == job.id)
            #expect(letter.attempts == 1)

            for expected in [[letter.number], []] {
                let revived = try await bench.pool.transaction(deadline: bench.soon) {
                    try JobQueue.revive([letter.number], in: $0)
                }
                #expect(revived == expected)
            }
            #expect(try await bench.dead == 0)
            // It comes back in the bulk lane of its kind.
            let again = try await bench.claim([Bench.bulk]).jobs
            #expect(again.map(\.id) == [job.id])
            #expect(again.map(\.attempts) == [0])
        }
    }

    @Test("a dead job does not stand in the way of a living one with its id")
    func deadAndAlive() async throws {
        try await Bench.with { bench in
            let job = try await bench.add(1)[0]
            let held = try await bench.claim().jobs.map(\.held)
            let burials = held.map { Burial(job: $0, reason: "x", countsAsAttempt: true) }
            _ = try await bench.queue.bury(burials, deadline: bench.soon)
            try await bench.add([job])
            let revived = try await bench.pool.transaction(deadline: bench.soon) { transaction in
                let letters = try JobQueue.deadLetters(
                    DeadLetterFilter(), before: nil, limit: 10, in: transaction)
                return try JobQueue.revive(letters.map(\.number), in: transaction)
            }
            #expect(revived.isEmpty)
            #expect(try await bench.alive == 1)
            #expect(try await bench.dead == 1)
        }
    }

    @Test("plain SQL that names only the kind makes a job of the intake, due at once")
    func plainSQL() async throws {
        try await Bench.with { bench in
            _ = try await bench.pool.query(
                "insert into sineta.jobs (kind) values ('something')", deadline: bench.soon)
            let jobs = try await bench.claim([.intake]).jobs
            #expect(jobs.map(\.kind) == ["something"])
            _ = try await bench.queue.place(
                jobs.map { ($0.held, Bench.urgent) }, deadline: bench.soon)
            #expect(try await bench.claim([Bench.urgent]).jobs.map(\.id) == jobs.map(\.id))
        }
    }

    @Test("due jobs take at most half of a claim")
    func dueHalf() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(20)
            let due = try await bench.claim(quota: 10).jobs
            _ = try await bench.queue.giveBack(due.map(\.held), deadline: bench.soon)
            let claim = try await bench.claim(quota: 8)
            #expect(claim.lanes[Bench.urgent]?.due == 4)
            #expect(claim.lanes[Bench.urgent]?.ready == 4)
        }
    }

    @Test("work done in chunks keeps its job under the lease with new arguments")
    func advance() async throws {
        try await Bench.with { bench in
            _ = try await bench.add(1)
            let job = try await bench.claim().jobs[0]
            let held = try await bench.pool.transaction(deadline: bench.soon) {
                try JobQueue.advance(
                    job.held, args: Array(#"{"cursor": 7}"#.utf8), lease: .zero, in: $0)
            }
            #expect(held)
            let again = try await bench.claim().jobs
            #expect(again.map(\.args) == [Array(#"{"cursor": 7}"#.utf8)])
        }
    }
}
