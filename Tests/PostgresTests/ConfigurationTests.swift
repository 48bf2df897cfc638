import Runtime
import Testing
import Values

@testable import Postgres

@Suite struct ConfigurationTests {
    @Test("several hosts of a URI are tried in its order, each with its port")
    func severalHosts() throws {
        let configuration = try PostgresConfiguration(
            url: "postgresql://app:pw@one:5433,two:5434/shop?target_session_attrs=read-write")
        #expect(configuration.servers == ["one:5433", "two:5434"])
        #expect(configuration.database == "shop")
        #expect(configuration.user == "app")
        #expect(configuration.requiresPrimary)
        let keywords = Dictionary(
            uniqueKeysWithValues: configuration.keywords(for: configuration.hosts[1]))
        #expect(keywords["host"] == "two")
        #expect(keywords["port"] == "5434")
        #expect(keywords["password"] == "pw")
        #expect(keywords["target_session_attrs"] == "read-write")
        #expect(keywords["options"] == "-c idle_in_transaction_session_timeout=30000")
    }

    @Test("a transaction pooler gets no startup options")
    func poolerGetsNoOptions() throws {
        let configuration = try PostgresConfiguration(
            url: "postgresql://one/shop", pooler: .transaction)
        let keywords = configuration.keywords(for: configuration.hosts[0])
        #expect(!keywords.contains { $0.0 == "options" })
    }

    @Test(
        "a wrong URI is refused in words that do not quote it",
        arguments: [
            "postgres://u:hunter2@h:5432/d?nonsense=1", "postgres://u:hunter2@[::1/d", "x y",
        ])
    func wrongURI(_ url: String) {
        #expect {
            try PostgresConfiguration(url: url)
        } throws: {
            !"\($0)".contains("hunter2")
        }
    }

    @Test("printing a configuration shows no password")
    func passwordIsRedacted() throws {
        let configuration = try PostgresConfiguration(url: "postgresql://u:hunter2@h/d")
        var text = ""
        dump(configuration, to: &text)
        #expect(!text.contains("hunter2"))
        #expect(!"\(configuration)".contains("hunter2"))
    }
}
