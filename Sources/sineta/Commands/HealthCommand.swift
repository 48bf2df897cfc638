import Runtime
import WebClient

extension Command {
    static let health = Command(
        name: "health", summary: "says whether the API on this machine is ready",
        discussion: """
            Asks /readyz: the database is reachable and its schema is this version's. It exits with 0 or
            69 and is made for supervisors and containers.
            """,
        options: [
            Option(
                name: "--url", value: "URL",
                help: "the API's address (default: from BIND and PORT)")
        ],
        run: { invocation in
            let server = try Configuration(invocation.environment).server
            let host = NetworkAddress.inURL(NetworkAddress.reachable(server.bind))
            let standard = "http://\(host):\(server.port)"
            let address = invocation.value("--url") ?? standard
            let url: WebURL
            do throws(WebFailure) {
                url = try WebURL("\(address)/readyz")
            } catch {
                throw CommandFault(
                    .usage,
                    "\(address) cannot be asked: --url must begin with https://, or with http:// on "
                        + "this machine, as http://127.0.0.1:\(server.port)")
            }
            let answer: WebResponse
            do throws(WebFailure) {
                let request = WebRequest(method: "GET", url: url)
                answer = try await WebClient().send(request, deadline: .after(.seconds(5)))
            } catch {
                throw CommandFault(.unavailable, "\(address) does not answer: \(error)")
            }
            guard answer.status == 200 else {
                let words = String(decoding: answer.body, as: UTF8.self)
                throw CommandFault(.unavailable, "not ready (\(answer.status)): \(words)")
            }
            return .done
        })
}
