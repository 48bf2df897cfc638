import Testing

@Suite("Tests") struct TestFormTests {
    /// A function of a test file: its name, the lines that lead to it, and those of its body.
    private struct Function {
        let name: String
        let head: String
        let body: String
    }

    @Test("that check something carry @Test, or are private helpers")
    func attributes() throws {
        for file in try Repository.files(below: "Tests", ".swift") where !file.contains("/TestKit/")
        {
            for function in try functions(of: file) where !function.head.contains("@Test") {
                #expect(
                    function.name.wholeMatch(of: #/test[A-Z_].*/#) == nil,
                    "\(file): \(function.name) is no test without @Test")
                let isHelper = function.head.contains(#/\b(private|static|fileprivate|public)\b/#)
                let gives = function.body.prefix { $0 != "{" }.contains("->")
                let checks = function.body.contains("#expect") || function.body.contains("#require")
                #expect(
                    isHelper || gives || !checks,
                    "\(file): \(function.name) checks something, but nobody runs it")
            }
        }
    }

    @Test("of every room exist and are in the manifest")
    func rooms() throws {
        let manifest = try Repository.text("Package.swift")
        for room in try Repository.declaredRooms().keys where room != "sineta" {
            let entry = try Regex("tests\\(\\s*of: \"\(room)\"")
            #expect(manifest.contains(entry), "\(room)")
            let files = try Repository.files(below: "Tests/\(room)Tests", ".swift")
            #expect(try files.contains { try Repository.text($0).contains("@Test") }, "\(room)")
        }
    }

    /// A length that is written down is a guess at how long something takes. An hour stands for
    /// "until cancelled", and a loop that asks for something is bounded by its own deadline.
    @Test("wait for a signal and never sleep")
    func sleeps() throws {
        let sleep = #/\b[a-z]*sleep\((?:for: \.[a-z]+\()?[0-9][0-9_]*/#
        for file in try Repository.files(below: "Tests", ".swift") where !file.contains("/TestKit/")
        {
            for line in try Repository.text(file).split(separator: "\n") {
                let isLoop = line.contains("while ") || line.contains(".seconds(3600)")
                #expect(isLoop || !line.contains(sleep), "\(file): \(line)")
            }
        }
    }

    /// The functions inside types; those at the top of a file are helpers that files share.
    private func functions(of file: String) throws -> [Function] {
        let lines = try Repository.text(file).split(
            separator: "\n", omittingEmptySubsequences: false)
        return lines.indices.compactMap { index in
            guard let match = lines[index].firstMatch(of: #/^( +)(?:[\w@]+ )*func (\w+)/#) else {
                return nil
            }
            let indentation = match.output.1
            let body = lines[index...].prefix { $0 != "\(indentation)}" }
            return Function(
                name: String(match.output.2),
                head: attributes(lines[..<index], indentation) + lines[index],
                body: body.joined(separator: "\n"))
        }
    }

    /// What stands between the member before and this one: deeper lines, and closing brackets and
    /// attributes at its own depth.
    private func attributes(_ lines: ArraySlice<Substring>, _ indentation: Substring) -> String {
        let head = lines.reversed().prefix { line in
            guard let first = line.first(where: { $0 != " " }) else { return true }
            let depth = line.prefix { $0 == " " }.count
            if depth > indentation.count { return true }
            return depth == indentation.count && "@)]/".contains(first)
        }
        return head.reversed().joined(separator: "\n")
    }
}
