import Foundation
import HTTP2
import JSON
import Runtime
import Simulator
import TestKit
import Testing
import Values

@Suite("The simulator's control port")
struct ControlTests {
    private struct Reply {
        let status: Int
        let json: JSONValue
        let text: String
    }

    private func ask(
        _ bench: Bench, _ method: String, _ path: String, body: String = "", key: String? = nil
    ) async throws -> Reply {
        let url = "http://127.0.0.1:\(bench.ports.control)\(path)"
        var arguments = ["-sS", "-m", "20", "-X", method, url, "-w", "\n%{http_code}"]
        if !body.isEmpty { arguments += ["--data-binary", body] }
        if let key { arguments += ["-H", "authorization: Bearer \(key)"] }
        let output = try await run("/usr/bin/curl", arguments)
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        let text = lines.dropLast().joined(separator: "\n")
        return Reply(
            status: Int(lines.last ?? "") ?? 0,
            json: (try? JSONValue.parse(Array(text.utf8))) ?? .null, text: text)
    }

    /// Runs a program off the pool, and gives what it wrote.
    private func run(_ program: String, _ arguments: [String]) async throws -> String {
        let executor = BlockingExecutor(name: "curl", threads: 1)
        defer { executor.close() }
        return try await executor.run { () throws -> String in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return String(decoding: data, as: UTF8.self)
        }
    }

    @Test("the inbox is read whole, by token and by provider, counted and emptied")
    func inbox() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        let push = bench.push(
            token: "AA01", authorization: try bench.jwt(), body: #"{"aps":{"badge":0}}"#)
        _ = try await client.ask(push)
        let all = try await ask(bench, "GET", "/inbox")
        #expect(all.status == 200)
        let entry = try #require(all.json[0]?.object)
        #expect(
            entry.keys == [
                "number", "at", "provider", "environment", "connection", "method", "path",
                "token", "headers", "body", "answered",
            ])
        #expect(entry["at"] == "2026-11-30T00:53:20Z")
        #expect(entry["provider"] == "apns")
        #expect(entry["environment"] == "production")
        #expect(entry["method"] == "POST")
        #expect(entry["path"] == "/3/device/AA01")
        #expect(entry["token"] == "aa01")
        #expect(entry["headers"]?["apns-priority"] == "10")
        #expect(entry["body"] == ["aps": ["badge": 0]])
        #expect(entry["answered"] == ["status": 200, "reason": nil])
        #expect(
            try await ask(bench, "GET", "/inbox?token=aa01&provider=apns").json.array?.count == 1)
        #expect(try await ask(bench, "GET", "/inbox?token=aa02").json.array?.count == 0)
        #expect(try await ask(bench, "GET", "/inbox?provider=fcm").json.array?.count == 0)
        #expect(try await ask(bench, "GET", "/inbox?after=0").json.array?.count == 1)
        #expect(try await ask(bench, "GET", "/inbox?after=1").json.array?.count == 0)
        for query in ["provider=x", "after=x", "after=-1", "after=9223372036854775808"] {
            #expect(try await ask(bench, "GET", "/inbox?\(query)").status == 400, "\(query)")
        }
        #expect(
            try await ask(bench, "GET", "/inbox/counts").text
                == #"{"requests":1,"accepted":1,"duplicates":0,"token_requests":0,"#
                + #""apns_production":{"requests":1,"accepted":1,"unanswered":0,"duplicates":0,"#
                + #""refused":{}},"apns_sandbox":{"requests":0,"accepted":0,"unanswered":0,"#
                + #""duplicates":0,"refused":{}},"fcm":{"requests":0,"accepted":0,"unanswered":0,"#
                + #""duplicates":0,"refused":{}}}"#)
        #expect(try await ask(bench, "DELETE", "/inbox").status == 204)
        #expect(try await ask(bench, "GET", "/inbox").text == "[]")
        await bench.simulator.stop()
    }

    @Test("the script is set, refused with the fault's name, and deleted")
    func script() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        let push = bench.push(authorization: try bench.jwt())
        let set = try await ask(
            bench, "POST", "/script", body: #"[{"status":500,"reason":"InternalServerError"}]"#)
        #expect(set.status == 204)
        #expect(try await client.ask(push).status == 500)
        let bad = try await ask(bench, "POST", "/script", body: #"{"status":1}"#)
        #expect(bad.status == 400)
        #expect(bad.text == #"{"error":"status: must be 200 to 599"}"#)
        #expect(try await ask(bench, "DELETE", "/script").status == 204)
        #expect(try await client.ask(push).status == 200)
        #expect(try await ask(bench, "PUT", "/script").status == 404)
        await bench.simulator.stop()
    }

    @Test("with a key nothing is shown without it")
    func key() async throws {
        let bench = try Bench { $0.key = Secret("open sesame") }
        #expect(try await ask(bench, "GET", "/inbox").status == 401)
        #expect(try await ask(bench, "GET", "/inbox", key: "close sesame").status == 401)
        #expect(try await ask(bench, "GET", "/inbox", key: "open sesame").status == 200)
        await bench.simulator.stop()
    }

    @Test("off loopback it does not start without a key")
    func offLoopback() throws {
        #expect(throws: SimulatorFault.self) { _ = try Bench { $0.bind = "0.0.0.0" } }
    }

    @Test("the stream tells each push as it arrives")
    func stream() async throws {
        let bench = try Bench()
        let client = try bench.client(bench.ports.apnsProduction)
        let push = bench.push(authorization: try bench.jwt())
        let socket = try RawSocket(port: bench.ports.control)
        await socket.send("GET /inbox/stream HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = await socket.read(until: ": inbox")
        _ = try await client.ask(push)
        let event = await socket.read(until: "\n\n")
        #expect(event.contains("event: push"))
        #expect(event.contains(#""provider":"apns""#))
        await bench.simulator.stop()
    }

    @Test("a home holds keys for their owner alone, and every variable")
    func home() async throws {
        let bench = try Bench()
        let folder = try TemporaryFolder("home")
        defer { folder.remove() }
        let directory = "\(folder.path)/simulator"
        let home = try bench.simulator.makeHome(directory)
        let environment = try Files.readText(home.environmentFile)
        let ports = bench.ports
        #expect(
            environment == """
                # Points server and worker at the simulator: no push leaves this machine.
                APNS_KEY_PATH=\(directory)/apns.p8
                APNS_KEY_ID=SIMKEY0001
                APNS_TEAM_ID=SIMTEAM001
                APNS_TOPIC=com.mobiari.merchant
                APNS_PRODUCTION_URL=https://127.0.0.1:\(ports.apnsProduction)
                APNS_SANDBOX_URL=https://127.0.0.1:\(ports.apnsSandbox)
                FCM_SERVICE_ACCOUNT_PATH=\(directory)/service-account.json
                FCM_URL=https://127.0.0.1:\(ports.fcm)
                FCM_TOKEN_URL=https://127.0.0.1:\(ports.fcm)/token
                PROVIDER_CA_PATH=\(directory)/ca.pem

                """)
        for name in ["apns.p8", "service-account.json", "service-account.key", "server.key"] {
            var info = stat()
            #expect(stat("\(directory)/\(name)", &info) == 0)
            #expect(info.st_mode & 0o777 == 0o600)
        }
        // A second start finds the same authority.
        #expect(try home.credentials().authorityPEM == bench.simulator.credentials.authorityPEM)
        await bench.simulator.stop()
    }
}
