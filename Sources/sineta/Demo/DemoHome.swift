import Alerts
import Cryptography
import JSON
import Runtime
import Values

/// What a home keeps of its demo: the login and the token, readable by its owner alone, and the
/// commands to try.
struct DemoHome: Sendable {
    private let folder: String

    init(_ home: HomeFolder) {
        folder = "\(home.path)/demo"
    }

    /// The login of this home, made up at the first start. It is kept before anything of it goes
    /// into the database, so that no start can leave people whose password nobody knows.
    func login(_ seeds: Seeds, makeToken: () -> Secret<String>) throws -> DemoLogin {
        let file = "\(folder)/login.json"
        if Files.exists(file) {
            if let login = DemoLogin(try JSONValue.parse(try Files.read(file))) { return login }
            throw CommandFault(.failed, "\(file) is damaged: remove it and the home it is in")
        }
        guard let store = seeds.stores.first,
            let owner = store.members.first(where: { $0.role == .owner })
        else { throw CommandFault(.failed, "seeds: there is no store with an owner") }
        let login = DemoLogin(
            email: owner.email, password: Base62.encode(SecureRandom.bytes(12), width: 17),
            store: store.id, storeName: store.name, apiToken: makeToken().reveal())
        try Files.makeDirectory(folder, mode: 0o700)
        try Files.write(login.json, to: file, mode: 0o600)
        return login
    }

    /// Writes the card's commands as scripts.
    func keep(_ card: DemoCard) throws(FileFault) {
        try Files.makeDirectory(folder, mode: 0o700)
        for script in card.scripts {
            try Files.write("\(script.text)\n".utf8, to: "\(folder)/\(script.name).sh", mode: 0o600)
        }
    }
}

extension DemoLogin {
    init?(_ value: JSONValue) {
        guard let email = value["email"]?.text, let password = value["password"]?.text,
            let store = value["store_id"]?.text.flatMap({ StoreID($0) }),
            let storeName = value["store_name"]?.text, let apiToken = value["api_token"]?.text
        else { return nil }
        self.init(
            email: email, password: password, store: store, storeName: storeName,
            apiToken: apiToken)
    }

    var json: [UInt8] {
        let object: JSONValue = [
            "email": .text(email), "password": .text(password),
            "store_id": .text(store.description), "store_name": .text(storeName),
            "api_token": .text(apiToken),
        ]
        return object.encoded
    }
}
