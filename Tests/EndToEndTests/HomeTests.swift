import Foundation
import Glibc
import TestKit
import Testing

@Suite("A home", .timeLimit(.minutes(5))) struct HomeTests {
    @Test("does the main job for a newcomer, and Ctrl-C leaves nothing of it")
    func mainJob() async throws {
        let home = try TestHome()
        defer { home.remove() }
        let up = try await home.up()
        let places = try home.places()
        #expect(places.ports.count >= 6, "API, two metrics, inbox and three providers listen")
        #expect(places.socketFolders.count == 1)

        let devices = try home.demo("register")
        #expect(devices.split(separator: "\n").count == 2)
        #expect(try home.demo("order").contains(#""status":"accepted""#))
        let arrived = try home.arrived()
        #expect(arrived.contains(#""provider":"apns""#) && arrived.contains(#""provider":"fcm""#))
        #expect(arrived.contains("Pedido #1042 pago") && arrived.contains("Order #1042 paid"))
        let phones = try home.demo("phones")
        #expect(phones.contains("│ Pedido #1042 pago ") && phones.contains("│ Order #1042 paid "))

        let second = try SinetaProcess(["up"], home.environment)
        #expect(await second.exitCode() == 75)
        #expect(
            await second.errors()
                == "sineta: another sineta up runs in \(home.path): stop it, or set SINETA_HOME to another\n"
        )

        up.send(SIGINT)
        #expect(await up.exitCode() == 0)
        #expect(try home.processes() == [])
        #expect(places.left() == [])
    }

    @Test(
        "lets more of its processes join it, which find database, secret and simulator by its folder"
    )
    func joined() async throws {
        let home = try TestHome()
        defer { home.remove() }
        let up = try await home.up()
        let environment = home.environment.merging(["LOG_LEVEL": "info"]) { $1 }
        for command in ["serve", "worker"] {
            let more = try SinetaProcess([command, "--simulator"], environment)
            try await more.complaint(with: "ready")
            more.send(SIGTERM)
            #expect(await more.exitCode() == 0)
        }
        up.send(SIGTERM)
        #expect(await up.exitCode() == 0)
        for command in ["serve", "worker"] {
            let late = try SinetaProcess([command, "--simulator"], home.environment)
            #expect(await late.exitCode() == 69)
            #expect(
                await late.errors() == """
                    sineta: nothing runs in \(home.path): start sineta up, or set DATABASE_URL

                    """)
        }
        #expect(try home.processes() == [])
    }

    @Test("Ctrl-C, which a terminal sends to the whole process group, lets a request in flight end")
    func wholeGroup() async throws {
        let home = try TestHome()
        defer { home.remove() }
        let up = try await home.up()
        let store = try #require(
            try await home.said("store", "create", "Loja", "dona@example.com").first)
        // Made with the secret of the home, which is found by its folder.
        let token = try #require(try await home.said("token", "create", store, "shop").first)
        let others = try home.processes().compactMap { Int32($0.prefix { $0 != " " }) }
            .filter { $0 != up.pid && getpgid($0) == up.pid }
        #expect(others == [], "the terminal's signal reaches them too")

        let port = try home.port()
        let body =
            #"{"id":"paid-1","type":"orders.paid","data":{"order_id":"\#(UUID())","number":"#
            + #""1","total":{"amount":"1.00","currency":"BRL"},"customer_name":"Ana Souza"}}"#
        let (idle, busy) = (try RawSocket(port: port), try RawSocket(port: port))
        await busy.send(
            "POST /v1/stores/\(store)/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                + "Expect: 100-continue\r\n\r\n")
        #expect(await busy.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 100 "))
        up.sendToGroup(SIGINT)
        #expect(await idle.readToEnd() == [], "the API drains")
        await busy.send(body)
        let reply = try #require(await busy.replies().first)
        #expect(reply.status == 202, "\(reply.text)")
        #expect(await up.exitCode() == 0)
        #expect(await !up.errors().contains(" ERROR "))
        #expect(try home.processes() == [])
    }

    @Test("that was killed is taken up by the next start, which leaves nothing either")
    func killed() async throws {
        let home = try TestHome()
        defer { home.remove() }
        let first = try await home.up()
        let before = try home.places()
        first.send(SIGKILL)
        #expect(await first.exitCode() == SIGKILL)

        let second = try await home.up()
        let after = try home.places()
        let own = before.ports.subtracting(after.ports)
        #expect(own.isDisjoint(with: before.left()), "what the killed one started listens no more")
        second.send(SIGTERM)
        #expect(await second.exitCode() == 0)
        #expect(try home.processes() == [])
        #expect(before.left() == [])
        #expect(after.left() == [])
    }

    @Test("starts a database again that was killed beneath it, and goes on with its work")
    func database() async throws {
        let home = try TestHome()
        defer { home.remove() }
        let up = try await home.up()
        let first = try #require(try home.database())
        kill(first, SIGKILL)
        #expect(try home.ordered().contains(#""status":"accepted""#))
        #expect(try home.database() != first)
        up.send(SIGTERM)
        #expect(await up.exitCode() == 0)
        #expect(try home.processes() == [])
    }
}

extension TestHome {
    /// The lines that a command prints beside the running home.
    fileprivate func said(_ words: String...) async throws -> [String] {
        let process = try SinetaProcess(words, environment)
        #expect(await process.exitCode() == 0, "\(words)")
        return await process.output().split(separator: "\n").map(String.init)
    }

    /// The API's, as the demo has it.
    fileprivate func port() throws -> Int {
        let script = try String(contentsOfFile: "\(path)/demo/order.sh", encoding: .utf8)
        let match = try #require(script.firstMatch(of: #/http://127\.0\.0\.1:(\d+)\/v1\/stores/#))
        return try #require(Int(match.1))
    }

    /// The process id of the embedded PostgreSQL.
    fileprivate func database() throws -> Int32? {
        let file = try String(
            contentsOfFile: "\(path)/postgres/data/postmaster.pid", encoding: .utf8)
        return file.split(separator: "\n").first.flatMap { Int32($0) }
    }

    /// The answer to an order, asked again while the API says 503, which it does after seconds.
    fileprivate func ordered() throws -> String {
        let limit = ContinuousClock.now + .seconds(60)
        while true {
            do {
                return try demo("order")
            } catch {
                if ContinuousClock.now > limit { throw error }
            }
        }
    }

    /// The inbox once both phones rang, asked again until then.
    fileprivate func arrived() throws -> String {
        let limit = ContinuousClock.now + .seconds(30)
        while true {
            let inbox = try demo("inbox")
            let isThere =
                inbox.contains(#""provider":"apns""#) && inbox.contains(#""provider":"fcm""#)
            if isThere || ContinuousClock.now > limit { return inbox }
        }
    }
}
