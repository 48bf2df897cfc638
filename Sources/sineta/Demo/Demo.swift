import API
import Cryptography
import Postgres
import Runtime
import Values

/// The demo of one home, from the seeds to the card.
struct Demo: Sendable {
    private let seeds: Seeds
    private let folder: DemoHome
    private let login: DemoLogin
    private let tokens: Tokens
    private let isNew = Lock(false)

    init(folder: String, home: HomeFolder, secret: Secret<String>) throws {
        seeds = try Seeds(folder: folder)
        self.folder = DemoHome(home)
        login = try self.folder.login(seeds) { Tokens.store.make() }
        tokens = Tokens(secret: secret)
    }

    /// Puts people and stores into the database unless they are there.
    func load(into database: Database, log: Log) async throws {
        let pool = PostgresPool(database.application, name: "demo", size: 1, log: log)
        let loader = DemoLoader(seeds: seeds, login: login, tokens: tokens, pool: pool)
        do {
            let isNew = try await loader.load()
            self.isNew.withLock { $0 = isNew }
        } catch let error as PostgresError {
            throw Database.fault(error)
        }
        await pool.close()
    }

    /// What to tell, once the demo store's old orders are there.
    func card(api: String, inbox: String?, inboxHasKey: Bool) async throws -> String {
        if isNew.withLock({ $0 }) {
            try await DemoEvents(seeds: seeds, login: login).post(to: api)
        }
        let card = DemoCard(
            api: api, inbox: inbox, inboxHasKey: inboxHasKey, login: login)
        try folder.keep(card)
        return card.text
    }
}
