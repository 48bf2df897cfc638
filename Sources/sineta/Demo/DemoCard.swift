import Values

/// What a newcomer is told once everything runs: where, as whom, and three steps to copy.
///
/// The commands are kept as files beside the data as well; `ops/run --check` runs those, so that
/// what is printed is what is tried.
struct DemoCard: Sendable {
    let api: String
    let inbox: String?
    /// Whether the inbox wants the bearer `SIMULATOR_KEY`. The commands take it from their shell:
    /// it is the operator's own, and stands neither on the card nor in its files.
    var inboxHasKey = false
    let login: DemoLogin

    /// Logs in and registers an iPhone and an Android phone.
    var register: String {
        """
        TOKEN=$(curl -fsS \(api)/v1/auth/login -H 'Content-Type: application/json' \\
          -d '{"email":"\(login.email)","password":"\(login.password)","device_name":"demo"}' |
          sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
        for phone in \\
          '{"platform":"ios","token":"\(Self.iPhone)","locale":"pt-BR","device_name":"iPhone"}' \\
          '{"platform":"android","token":"\(Self.android)","locale":"en-US","device_name":"Android"}'
        do
          curl -fsS \(api)/v1/me/devices -H "Authorization: Bearer $TOKEN" \\
            -H 'Content-Type: application/json' -d "$phone"; echo
        done
        """
    }

    /// Posts an order that is paid, another one each time.
    var order: String {
        """
        ORDER=$(cat /proc/sys/kernel/random/uuid)
        curl -fsS \(api)/v1/stores/\(login.store)/events \\
          -H 'Authorization: Bearer \(login.apiToken)' \\
          -H 'Content-Type: application/json' \\
          -d '{"id":"paid-'$ORDER'","type":"orders.paid","data":{"order_id":"'$ORDER'","number":"1042",
               "total":{"amount":"1234.56","currency":"BRL"},"customer_name":"Ana Souza"}}'; echo
        """
    }

    /// Draws what arrived at the phones.
    var phones: String? {
        inbox.map { "curl -fsS\(bearer) \($0)/inbox/phones" }
    }

    /// The requests themselves, as JSON.
    var arrived: String? {
        inbox.map { "curl -fsS\(bearer) \($0)/inbox; echo" }
    }

    private var bearer: String {
        let key = "${SIMULATOR_KEY:?is not set: take the value that the simulator was started with}"
        return inboxHasKey ? " -H \"Authorization: Bearer \(key)\"" : ""
    }

    /// The files by their names.
    var scripts: [(name: String, text: String)] {
        let all = [
            ("register", register), ("order", order), ("phones", phones), ("inbox", arrived),
        ]
        return all.compactMap { name, text in text.map { (name, $0) } }
    }

    var text: String {
        var text = """

            Sineta runs.

              API     \(api)
              Login   \(login.email)  \(login.password)
              Store   \(login.storeName)  \(login.store)
              Token   \(login.apiToken)

            1. Log in, and register an iPhone and an Android phone:

            \(register)

            2. Let an order be paid:

            \(order)

            """
        if let phones, let arrived {
            text += "\n3. See what arrived at the phones:\n\n\(phones)\n"
            text += "\n   (and every header and body of it, as JSON:)\n\n\(arrived)\n"
        }
        return text + "\nCtrl-C stops everything.\n"
    }

    /// Made up, and valid by form alone: no phone has it.
    private static let iPhone = String(repeating: "5e1f", count: 16)
    private static let android = "demo-android:" + String(repeating: "A1b2", count: 20)
}

/// Who may sign in to the demo, and what its store's backend calls with.
struct DemoLogin: Sendable, Equatable {
    let email: String
    let password: String
    let store: StoreID
    let storeName: String
    let apiToken: String
}
