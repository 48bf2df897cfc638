import Cryptography
import HTTPServer
import JSON
import Runtime
import Values

/// The plain HTTP port of the simulator: its inbox and its script.
final class ControlAPI: Sendable {
    private let inbox: Inbox
    private let script: Script
    private let key: Secret<String>?

    init(_ inbox: Inbox, _ script: Script, key: Secret<String>?) {
        self.inbox = inbox
        self.script = script
        self.key = key
    }

    func handle(_ request: HTTPRequest) async -> HTTPResponse {
        guard isAllowed(request) else {
            return .fault(401, "a bearer with SIMULATOR_KEY is needed")
        }
        switch (request.method, request.path) {
        case ("GET", "/inbox"): return list(FormFields(Array(request.query.utf8)))
        case ("GET", "/inbox/phones"): return draw(FormFields(Array(request.query.utf8)))
        case ("DELETE", "/inbox"):
            inbox.empty()
            return HTTPResponse(status: 204, route: "/inbox")
        case ("GET", "/inbox/counts"):
            return .json(inbox.counts.encoded, route: "/inbox/counts")
        case ("GET", "/inbox/stream"): return stream()
        case ("POST", "/script"): return set(request.body)
        case ("DELETE", "/script"):
            script.clear()
            return HTTPResponse(status: 204, route: "/script")
        case ("GET", "/healthz"): return .text(200, "ok\n", route: "/healthz")
        default: return .fault(404, "no such path")
        }
    }

    private func isAllowed(_ request: HTTPRequest) -> Bool {
        guard let key else { return true }
        guard let given = request.headers["authorization"], given.hasPrefix("Bearer ") else {
            return false
        }
        return constantTimeEqual(
            Array(given.dropFirst(7).utf8), Array(key.reveal().utf8))
    }

    private func list(_ query: FormFields) -> HTTPResponse {
        answer(query) { entries in
            var writer = JSONWriter(reserving: 4096)
            writer.beginArray()
            for entry in entries { entry.write(to: &writer) }
            writer.endArray()
            return .json(writer.bytes, route: "/inbox")
        }
    }

    /// The same for people: what stands on each phone's lock screen.
    private func draw(_ query: FormFields) -> HTTPResponse {
        answer(query) { .text(200, PhoneDrawing.of(Phone.all($0)), route: "/inbox/phones") }
    }

    /// What is made of the entries that the query asks for; 400 when it asks for what cannot be.
    private func answer(
        _ query: FormFields, _ make: ([InboxEntry]) -> HTTPResponse
    ) -> HTTPResponse {
        func given(_ name: String) -> String? { query[name].flatMap { $0.isEmpty ? nil : $0 } }
        let provider = given("provider").map { SimulatedProvider(rawValue: $0) }
        if case .some(nil) = provider { return .fault(400, "provider: must be apns or fcm") }
        guard let number = given("after").map({ Int($0) }) ?? 0, number >= 0 else {
            return .fault(400, "after: must be an entry's number")
        }
        return make(inbox.entries(after: number, token: given("token"), provider: provider ?? nil))
    }

    /// Every entry as an event whose id is its number; a comment now and then keeps proxies awake.
    private func stream() -> HTTPResponse {
        let entries = inbox.stream()
        return .events(route: "/inbox/stream") { stream in
            do throws(HTTPClientGone) {
                try await stream.write(": inbox\n\n")
                let beat = Task {
                    while !Task.isCancelled {
                        try await Task.sleep(for: .seconds(15))
                        try await stream.write(": still here\n\n")
                    }
                }
                defer { beat.cancel() }
                for await entry in entries {
                    var writer = JSONWriter(reserving: 1024)
                    entry.write(to: &writer)
                    let data = String(decoding: writer.bytes, as: UTF8.self)
                    try await stream.write("id: \(entry.number)\nevent: push\ndata: \(data)\n\n")
                }
            } catch {
                // The reader has left; so do we.
            }
        }
    }

    /// Takes one rule, or an array of them: all or none.
    private func set(_ body: [UInt8]) -> HTTPResponse {
        let json: JSONValue
        do { json = try JSONValue.parse(body) } catch { return .fault(400, error.message) }
        do throws(ScriptFault) {
            var rules: [ScriptRule] = []
            for item in json.array ?? [json] { rules.append(try ScriptRule(json: item)) }
            for rule in rules { script.add(rule) }
            return HTTPResponse(status: 204, route: "/script")
        } catch {
            return .fault(400, error.description)
        }
    }
}

extension HTTPResponse {
    fileprivate static func json(
        _ bytes: [UInt8], status: Int = 200, route: String
    ) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: ["Content-Type": "application/json"], body: .bytes(bytes),
            route: route)
    }

    fileprivate static func fault(_ status: Int, _ message: String) -> HTTPResponse {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("error", message)
        writer.endObject()
        return .json(writer.bytes, status: status, route: "refused")
    }
}
