import JSON
import Jobs
import Postgres
import Runtime
import Storage
import Values

/// Writes dead letters out, the oldest first, a batch at a time.
struct DeadLetterExport: Sendable {
    private let options: JobsOptions
    private let file: String?

    init(_ invocation: Invocation) throws {
        options = try JobsOptions(invocation)
        file = invocation.value("--file")
    }

    func run() async throws -> ExitCode {
        let total = try await options.database.run { [options] transaction in
            try JobQueue.deadCount(options.filter, in: transaction)
        }
        var progress = Progress("exporting", total: total)
        let output = try file.map { try OutputFile($0) }
        var last: Int64 = 0
        var done = 0
        while true {
            let from = last
            let letters = try await options.database.run { [options] transaction in
                try JobQueue.deadLetters(
                    options.filter, after: from, limit: DeadLetterWalk.batch, in: transaction)
            }
            guard let end = letters.last?.number else { break }
            var bytes: [UInt8] = []
            for letter in letters { bytes += Self.line(letter) }
            if let output {
                try output.write(bytes)
            } else {
                Terminal.write(String(decoding: bytes, as: UTF8.self))
            }
            last = end
            done += letters.count
            progress.show(done)
        }
        try output?.close()
        progress.end()
        if let file { Terminal.line("\(done) dead letters in \(file)") }
        return .done
    }

    static func line(_ letter: DeadLetter) -> [UInt8] {
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.member("id", letter.id.description)
        writer.member("kind", letter.kind)
        writer.member("store_id", letter.store.description)
        write("alert_id", letter.subject?.description, to: &writer)
        write("user_id", letter.member?.description, to: &writer)
        write("device_id", letter.target?.description, to: &writer)
        writer.member("reason", letter.reason)
        writer.member("attempts", letter.attempts)
        writer.member("losses", letter.losses)
        writer.member("raised_at", letter.raisedAt.rfc3339)
        writer.member("died_at", letter.buriedAt.rfc3339)
        write("expires_at", letter.expiresAt?.rfc3339, to: &writer)
        writer.key("tries")
        writer.raw(letter.tries ?? Array("[]".utf8))
        writer.endObject()
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private static func write(_ key: String, _ value: String?, to writer: inout JSONWriter) {
        writer.key(key)
        if let value { writer.string(value) } else { writer.null() }
    }
}
