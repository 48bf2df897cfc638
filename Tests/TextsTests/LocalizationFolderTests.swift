import Alerts
import Foundation
import TestKit
import Testing
import Texts

@Suite("The folder of languages") struct LocalizationFolderTests {
    private let folder = SourceTree.path("Localization")

    @Test("gives every language of the tree, formatted by ICU")
    func whole() throws {
        let wording = try LocalizationFolder(folder).wording()
        #expect(wording.catalogue.offered.contains("pt"))
        #expect(wording.catalogue.offered.contains("en"))
    }

    @Test("says which folder is not there")
    func missing() {
        let fault = #expect(throws: LocalizationFault.self) {
            try LocalizationFolder("/nowhere").wording()
        }
        #expect(fault?.description == "there is no folder /nowhere here")
    }

    @Test("names the file that is not whole, in one line")
    func broken() throws {
        try withCopy { copy in
            let file = "\(copy)/en.json"
            let text = try String(contentsOfFile: file, encoding: .utf8)
            try text.replacing("one {# unit left}", with: "one {# unit left").write(
                toFile: file, atomically: true, encoding: .utf8)
            let fault = #expect(throws: LocalizationFault.self) {
                try LocalizationFolder(copy).wording()
            }
            #expect(fault?.description.hasPrefix("en.json: ") == true)
            #expect(fault?.description.contains("\n") == false)
        }
    }

    @Test("takes what is no language file for none")
    func strangers() throws {
        try withCopy { copy in
            try "# Texts".write(toFile: "\(copy)/README.md", atomically: true, encoding: .utf8)
            #expect(
                try LocalizationFolder(copy).files().map(\.name).sorted() == ["en.json", "pt.json"])
        }
    }

    private func withCopy(_ body: (String) throws -> Void) throws {
        let temporary = try TemporaryFolder("texts")
        defer { temporary.remove() }
        let copy = "\(temporary.path)/Localization"
        try FileManager.default.copyItem(atPath: folder, toPath: copy)
        try body(copy)
    }
}
