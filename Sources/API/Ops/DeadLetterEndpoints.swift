import Alerts
import JSON
import Jobs
import Postgres
import Storage
import Values

/// The jobs that were given up: reading them.
enum DeadLetterEndpoints {
    static let endpoints = [list, counts, one]

    private static let list = Endpoint(
        .get, "/v1/ops/dead-letters", "Jobs that were given up, the newest first.",
        access: Access(.operators),
        query: [
            QueryParameter("reason", .text(TextRule(length: 1...200)), "Only those that died so."),
            .uuid("store_id", "Only those of one store."),
            QueryParameter("kind", .text(TextRule(length: 1...200)), "Only jobs of one kind."),
        ],
        isPaged: true, responses: [.page(of: DeadLetterShapes.line, "Dead letters.")]
    ) { call, _, transaction in
        let page = try call.page
        let query = page.ofRows
        let letters = try JobQueue.deadLetters(
            DeadLetterFilter(
                reason: call.query.text("reason"), store: call.query.id("store_id"),
                kind: call.query.text("kind")),
            before: query.after.map { Int64(bitPattern: $0.id.low) }, limit: query.limit,
            in: transaction)
        return page.answer(letters, cursor: \.cursor) { letter, writer in
            DeadLetterShapes.write(letter, now: call.now, to: &writer)
        }
    }

    private static let counts = Endpoint(
        .get, "/v1/ops/dead-letters/counts",
        "How many were given up for each reason, the most first, and what to do about it.",
        access: Access(.operators),
        responses: [
            Response(
                200, "The counts.",
                .object([.required("data", .list(of: DeadLetterShapes.count))]))
        ]
    ) { _, _, transaction in
        try Overview.bound(OverviewReading.patience, in: transaction)
        let counts = try JobQueue.deadCounts(in: transaction)
        return .json(200) { writer in
            writer.beginObject()
            writer.key("data")
            writer.beginArray()
            for count in counts {
                writer.beginObject()
                writer.member("kind", count.kind)
                writer.member("reason", count.reason)
                writer.member("count", count.count)
                writer.member("advice", orNull: ProviderAdvice.words(for: count.reason))
                writer.endObject()
            }
            writer.endArray()
            writer.endObject()
        }
    }

    private static let one = Endpoint(
        .get, "/v1/ops/dead-letters/{letter}",
        "One dead letter with its attempts and what a retry would make of it.",
        access: Access(.operators),
        responses: [Response(200, "The dead letter.", DeadLetterShapes.whole)]
    ) { call, _, transaction in
        let id: JobID = try call.path.id("letter")
        // The same job may have died twice: the last time counts.
        let numbers = try JobQueue.deadNumbers(of: [id], in: transaction).suffix(1)
        guard let letter = try JobQueue.deadLetters(Array(numbers), in: transaction).first,
            let fate = try DeadLetterActs.assess([letter.number], in: transaction).first?.fate
        else { throw Problem(.notFound) }
        let lane = try JobQueue.lanes(in: transaction).first { $0.id == letter.lane }
        return .json(200) { writer in
            writer.beginObject()
            DeadLetterShapes.writeMembers(of: letter, now: call.now, to: &writer)
            writer.member("fate", fate.rawValue)
            writer.member("lane", orNull: lane?.name)
            writer.member("losses", letter.losses)
            writer.member("raised_at", letter.raisedAt.rfc3339)
            writer.member("expires_at", orNull: letter.expiresAt?.rfc3339)
            writer.member("advice", orNull: ProviderAdvice.words(for: letter.reason))
            writer.key("tries")
            writer.raw(letter.tries ?? Array("[]".utf8))
            writer.endObject()
        }
    }
}
