import Foundation
import Testing

@Suite("The tree") struct TreeTests {
    @Test("names no path of somebody's machine")
    func machinePaths() throws {
        // Written in parts, so that this file does not name them either.
        let folders = ["work", "farm", "root", "home/[a-z]+", "Users", "tmp/s", "tmp/studio"]
        let path = try Regex("(^|[\\s\"'`=(:])/(\(folders.joined(separator: "|")))/")
        for file in try Repository.files(below: "") {
            guard let text = try? Repository.text(file) else { continue }
            #expect(text.firstMatch(of: path) == nil, "\(file)")
        }
    }

    @Test("leaves nothing for later: no stub, no reminder, no forced try")
    func reminders() throws {
        let words = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "try" + "!", "fatal" + "Error("]
        for file in try Repository.files(below: "Sources", ".swift", ".h", ".cpp") {
            let text = try Repository.text(file)
            for word in words { #expect(!text.contains(word), "\(file): \(word)") }
        }
    }

    @Test("has what a newcomer looks for")
    func documents() throws {
        for file in [
            "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE",
        ] {
            #expect(try !Repository.text(file).isEmpty, "\(file)")
        }
        for script in ["ops/run", "ops/test", "ops/setup", ".ci/run"] {
            #expect(
                FileManager.default.isExecutableFile(atPath: Repository.path(script)), "\(script)")
        }
    }

    @Test("has every text in every language")
    func languages() throws {
        let files = try Repository.files(below: "Localization", ".json")
        #expect(files.count >= 2)
        let keys = try files.map { file in
            let bytes = Data(try Repository.text(file).utf8)
            let root = try #require(JSONSerialization.jsonObject(with: bytes) as? [String: Any])
            let texts = try #require(root["texts"] as? [String: String])
            #expect(!texts.isEmpty && !texts.values.contains(""), "\(file)")
            return Set(texts.keys)
        }
        for (file, each) in zip(files, keys) {
            #expect(each == keys[0], "\(file) has other keys than \(files[0])")
        }
    }
}
