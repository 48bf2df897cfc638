import Foundation
import Testing
import Values

@testable import Runtime

@Suite("A log") struct LogTests {
    /// What a log wrote, without the time that each line begins with.
    private func lines(
        _ format: Log.Format, level: Log.Level = .debug, _ body: (Log) -> Void
    ) -> [String] {
        let lines = Lock<[String]>([])
        body(
            Log(level: level, format: format, sink: { line in lines.withLock { $0.append(line) } }))
        return lines.withLock { $0 }
    }

    @Test("writes one JSON object a line, fields in their order behind time, level and message")
    func json() throws {
        let line = try #require(
            lines(.json) {
                $0.with(["service": "api"]).info(
                    "request",
                    ["status": 200, "took": .milliseconds(.microseconds(1500)), "ok": true])
            }.first)
        let pattern =
            #/\{"at":"[0-9T:.-]+Z","level":"info","message":"request","service":"api","status":200,"took":1\.5,"ok":true\}/#
        #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
    }

    @Test("writes text for people: time, level, message and key=value")
    func text() throws {
        let line = try #require(
            lines(.text) { $0.warning("lane paused", ["lane": 3, "why": "key refused by Apple"]) }
                .first)
        #expect(
            line.hasSuffix("Z WARNING lane paused lane=3 why=\"key refused by Apple\""), "\(line)")
    }

    @Test(
        "lets no value start a line or an object of its own",
        arguments: Log.Format.allCases,
        [
            "a\nb", "a\r\nb", "\"},{\"level\":\"error", "back\\slash\"", "\u{2028}\u{2029}\u{85}",
            "\u{0}\u{1B}[31m",
        ])
    func injection(format: Log.Format, hostile: String) throws {
        let written = lines(format) { $0.info("m \(hostile)", ["f": .text(hostile)]) }
        let line = try #require(written.first)
        #expect(written.count == 1)
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
        #expect(!line.contains("\u{2028}") && !line.contains("\u{2029}"))
        guard format == .json else { return }
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["f"] as? String == hostile)
        #expect(object?["level"] as? String == "info")
    }

    @Test("writes what is at least as grave as its level", arguments: Log.Level.allCases)
    func levels(level: Log.Level) {
        let written = lines(.text, level: level) { log in
            for each in Log.Level.allCases { log.write(each, each.name) }
        }
        #expect(written.count == Log.Level.allCases.count - level.rawValue)
        #expect(Log.Level(name: level.name) == level)
    }

    @Test("prints a secret as redacted")
    func secrets() {
        let secret = Secret("hunter2")
        let written = lines(.json) { $0.info("\(secret)", ["key": .id(secret)]) }
        #expect(written.allSatisfy { !$0.contains("hunter2") && $0.contains("<redacted>") })
        #expect(!String(reflecting: [secret]).contains("hunter2"))
    }

    @Test("counts the lines that a full disk does not take, and goes on")
    func lost() throws {
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let (output, metrics) = (LogOutput(descriptor), Metrics())
        output.countLost(in: metrics)
        #expect(metrics.render().contains("\nsineta_log_lines_lost_total 0\n"))
        let log = Log(sink: output.write)
        for _ in 0..<3 { log.info("m") }
        #expect(output.lost == 3)
        for _ in 0..<2 {
            #expect(metrics.render().contains("\nsineta_log_lines_lost_total 3\n"))
        }
        log.info("m")
        #expect(metrics.render().contains("\nsineta_log_lines_lost_total 4\n"))
    }

    @Test("writes the rest of a line of which the system took a part")
    func short() {
        var written: [UInt8] = []
        var isInterrupted = false
        let isWhole = LogOutput.deliver(Array("a whole line\n".utf8)) { rest in
            isInterrupted.toggle()
            if isInterrupted {
                errno = EINTR
                return -1
            }
            written += rest.prefix(5)
            return min(5, rest.count)
        }
        #expect(isWhole)
        #expect(String(decoding: written, as: UTF8.self) == "a whole line\n")
    }

    @Test("takes a line for lost of which only a part was written")
    func torn() {
        var calls = 0
        let isWhole = LogOutput.deliver([1, 2, 3]) { _ in
            calls += 1
            errno = ENOSPC
            return calls == 1 ? 2 : -1
        }
        #expect(!isWhole)
        #expect(calls == 2)
    }
}
