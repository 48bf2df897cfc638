import Alerts
import Foundation
import JSON
import TestKit
import Testing
import Values

@testable import sineta

@Suite("The demo") struct DemoTests {
    @Test("is made of people who are there, with ids and events that repeat nothing")
    func seeds() throws {
        let seeds = try Seeds(folder: SourceTree.path("Seeds"))
        let people = Set(seeds.people.map(\.email))
        #expect(people.count == seeds.people.count)
        #expect(Set(seeds.people.map(\.id)).count == seeds.people.count)
        for store in seeds.stores {
            #expect(store.members.contains { $0.role == .owner }, "\(store.name)")
            #expect(store.members.allSatisfy { people.contains($0.email) }, "\(store.name)")
        }
        let stores = Set(seeds.stores.map(\.id))
        for entry in seeds.events {
            #expect(stores.contains(entry.store))
            let ids = entry.events.compactMap { $0["id"]?.text }
            #expect(Set(ids).count == entry.events.count)
        }
    }

    @Test(
        "that is damaged is refused with the place",
        arguments: [
            ("{", "people.json: "), ("[{}]", "people.json[0].id must be a text"),
            (#"[{"id":"x"}]"#, "people.json[0].id must be a UUID"),
        ])
    func damaged(people: String, complaint: String) throws {
        let temporary = try TemporaryFolder("seeds")
        defer { temporary.remove() }
        let folder = temporary.path
        try people.write(toFile: "\(folder)/people.json", atomically: true, encoding: .utf8)
        let fault = #expect(throws: CommandFault.self) { try Seeds(folder: folder) }
        #expect(fault?.words.hasPrefix("seeds: \(folder)/\(complaint)") == true, "\(fault as Any)")
    }

    @Test("prints the very commands that it keeps to be tried", arguments: [false, true])
    func card(inboxHasKey: Bool) throws {
        let store = try #require(StoreID("01990a00-0000-7000-8000-00000000a001"))
        let card = DemoCard(
            api: "http://127.0.0.1:8080", inbox: "http://127.0.0.1:8090", inboxHasKey: inboxHasKey,
            login: DemoLogin(
                email: "ana@lojaazul.example", password: "secret", store: store,
                storeName: "Loja Azul", apiToken: "sk_1"))
        let withKey = card.scripts.filter { $0.text.contains("Bearer ${SIMULATOR_KEY:?") }
        #expect(withKey.map(\.name) == (inboxHasKey ? ["phones", "inbox"] : []))
        #expect(card.scripts.map(\.name) == ["register", "order", "phones", "inbox"])
        for script in card.scripts {
            #expect(card.text.contains("\n\n\(script.text)\n"), "\(script.name)")
        }
        #expect(card.text.hasSuffix("\nCtrl-C stops everything.\n"))
    }
}
