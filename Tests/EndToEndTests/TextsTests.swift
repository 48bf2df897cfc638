import Alerts
import Foundation
import Testing

@testable import sineta

@Suite("The texts") struct TextsTests {
    private let folder = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

    @Test("of the tree are whole, and speak through ICU")
    func whole() throws {
        let wording = try Texts.load("\(folder)/Localization")
        #expect(wording.catalogue.offered.contains("pt"))
        #expect(wording.catalogue.offered.contains("en"))
    }

    @Test("that are not there or not whole stop the start with one line that names the variable")
    func broken() throws {
        let missing = #expect(throws: ConfigurationFaults.self) { try Texts.load("/nowhere") }
        #expect(
            missing?.description
                == "LOCALIZATION_PATH: there is no folder /nowhere here: set it to the Localization of "
                + "Sineta's source")

        let broken = NSTemporaryDirectory() + "sineta-texts-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.copyItem(atPath: "\(folder)/Localization", toPath: broken)
        defer { try? FileManager.default.removeItem(atPath: broken) }
        let file = "\(broken)/en.json"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try text.replacing("one {# unit left}", with: "one {# unit left").write(
            toFile: file, atomically: true, encoding: .utf8)
        let fault = #expect(throws: ConfigurationFaults.self) { try Texts.load(broken) }
        #expect(fault?.description.hasPrefix("LOCALIZATION_PATH: en.json: ") == true)
        #expect(fault?.description.contains("\n") == false)
    }
}
