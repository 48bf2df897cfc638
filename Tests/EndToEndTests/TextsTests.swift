import TestKit
import Testing

@testable import sineta

@Suite("The texts") struct TextsTests {
    @Test("that are not there stop the start with one line that names the variable")
    func missing() {
        let fault = #expect(throws: ConfigurationFaults.self) { try ProductTexts.load("/nowhere") }
        #expect(
            fault?.description
                == "LOCALIZATION_PATH: there is no folder /nowhere here: set it to the Localization of "
                + "Sineta's source")
    }

    @Test("that are not whole too")
    func broken() {
        // Seeds are JSON, and no languages.
        let fault = #expect(throws: ConfigurationFaults.self) {
            try ProductTexts.load(SourceTree.path("Seeds"))
        }
        #expect(fault?.description.hasPrefix("LOCALIZATION_PATH: ") == true)
        #expect(fault?.description.contains("\n") == false)
    }
}
