import Storage
import TestKit
import Testing

@Suite("sineta migrate", .timeLimit(.minutes(5))) struct MigrateCommandTests {
    @Test("a bar tells on a terminal how far it has come, and nothing does elsewhere")
    func migration() async throws {
        let steps = Schema.migrations.count
        for isSeen in [true, false] {
            try await withTestDatabase { database in
                let process = try SinetaProcess(
                    ["migrate"],
                    [
                        "DATABASE_URL": database.url(), "DATABASE_OWNER_URL": database.url(.owner),
                        "LOG_LEVEL": isSeen ? "info" : "warning",
                    ], isSeen: isSeen)
                #expect(await process.exitCode() == 0)
                #expect(await process.output() == "\(steps) steps taken\n")
                let text = await process.errors()
                guard isSeen else {
                    #expect(text == "")
                    return
                }
                #expect(text.hasPrefix("\rmigrating  [..............................]  0 %  0 of "))
                let full = String(repeating: "#", count: 30)
                #expect(text.hasSuffix("\rmigrating  [\(full)]  100 %  \(steps) of \(steps)\r\n"))
                #expect(
                    !text.contains("migration applied"), "records stand in the midst of the bar")
            }
        }
    }
}
