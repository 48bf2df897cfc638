import JSON
import Runtime
import Values
import WebClient

/// The events of the seeds, old ones that make orders known and ring nobody.
struct DemoEvents: Sendable {
    let seeds: Seeds
    let login: DemoLogin

    /// Posts the demo store's events as its backend would.
    func post(to api: String) async throws {
        let client = WebClient()
        for entry in seeds.events where entry.store == login.store {
            let body: JSONValue = ["events": .array(entry.events)]
            let answer = try await client.send(
                WebRequest(
                    method: "POST", url: try WebURL("\(api)/v1/stores/\(entry.store)/events"),
                    headers: [
                        ("Authorization", "Bearer \(login.apiToken)"),
                        ("Content-Type", "application/json"),
                    ], body: body.encoded), deadline: .after(.seconds(10)))
            guard answer.status == 200 else {
                throw CommandFault(.failed, "the seeds' events were answered with \(answer.status)")
            }
        }
    }
}
