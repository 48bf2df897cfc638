import Cryptography
import HTTP2
import JSON
import Runtime
import Simulator
import TestKit
import Testing
import Values

/// Keys for all simulators of the process: RSA takes its time.
private let credentials = Result { try SimulatorCredentials.make() }

/// The file that their clients trust.
private let authority = Result {
    try TemporaryFolder.ofProcess.get().write(credentials.get().authorityPEM, as: "simulator.pem")
}

/// A time that only the test moves.
final class TestClock: Sendable {
    private let time: Lock<Timestamp>

    init(_ start: Timestamp = Timestamp(seconds: 1_796_000_000)) { time = Lock(start) }

    var now: Timestamp { time.withLock { $0 } }
    func advance(_ duration: Duration) { time.withLock { $0 = $0 + duration } }
}

/// A simulator that listens, with clients that trust it and all they need to be believed.
struct Bench: Sendable {
    let simulator: Simulator
    let ports: SimulatorPorts
    let clock = TestClock()

    init(_ change: (inout SimulatorConfiguration) -> Void = { _ in }) throws {
        var configuration = SimulatorConfiguration.anywhere
        configuration.clock = { [clock] in clock.now }
        change(&configuration)
        simulator = Simulator(configuration, credentials: try credentials.get())
        ports = try simulator.start()
    }

    func client(
        _ port: Int, _ change: (inout HTTP2ClientConfiguration) -> Void = { _ in }
    ) throws -> HTTP2Client {
        var configuration = HTTP2ClientConfiguration()
        configuration.trust = .file(try authority.get())
        change(&configuration)
        return HTTP2Client(
            origin: HTTP2Origin(host: "localhost", port: UInt16(port), address: "127.0.0.1"),
            configuration: configuration)
    }

    // MARK: APNs

    /// A provider token as a good sender makes it; the changes make it a bad one.
    func jwt(
        issued: Timestamp? = nil, keyID: String? = nil, team: String? = nil,
        key: SigningKey? = nil
    ) throws -> String {
        let credentials = simulator.credentials
        let token = try JWT.sign(
            header: JSONObject([("kid", .text(keyID ?? credentials.apnsKeyID))]),
            claims: JSONObject([
                ("iss", .text(team ?? credentials.apnsTeamID)),
                ("iat", .integer((issued ?? clock.now).seconds)),
            ]), key: .es256(key ?? credentials.apnsKey))
        return "bearer \(token.reveal())"
    }

    func push(
        token: String = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",
        authorization: String, headers: [String: String?] = [:],
        body: String = #"{"aps":{"alert":"Hi"}}"#
    ) -> HTTP2Request {
        var fields: [String: String?] = [
            "authorization": authorization, "apns-topic": simulator.credentials.apnsTopic,
            "apns-push-type": "alert", "apns-priority": "10", "apns-expiration": "1796003600",
            "apns-id": "eabeae54-14a8-11e5-b60b-1697f925ec7b", "apns-collapse-id": "order-1",
        ]
        fields.merge(headers) { $1 }
        return HTTP2Request(
            path: "/3/device/\(token)",
            headers: fields.compactMap { name, value in value.map { HTTP2Header(name, $0) } },
            body: Array(body.utf8))
    }

    // MARK: FCM

    var sendPath: String { "/v1/projects/\(simulator.credentials.projectID)/messages:send" }

    /// An assertion as a good sender makes it; a claim of nil is left out.
    func assertion(
        _ changes: [String: JSONValue?] = [:], key: SigningKey? = nil
    ) throws -> String {
        var claims: [(String, JSONValue?)] = [
            ("iss", .text(simulator.credentials.accountEmail)),
            ("scope", "https://www.googleapis.com/auth/firebase.messaging"),
            ("aud", "https://oauth2.googleapis.com/token"),
            ("iat", .integer(clock.now.seconds)), ("exp", .integer(clock.now.seconds + 3600)),
        ]
        for (index, claim) in claims.enumerated() {
            if let change = changes[claim.0] { claims[index].1 = change }
        }
        let members = claims.compactMap { name, value in value.map { (name, $0) } }
        return try JWT.sign(
            header: JSONObject([("kid", .text(simulator.credentials.accountKeyID))]),
            claims: JSONObject(members),
            key: .rs256(key ?? simulator.credentials.accountKey)
        ).reveal()
    }

    func tokenRequest(_ assertion: String) -> HTTP2Request {
        HTTP2Request(
            path: "/token",
            headers: [HTTP2Header("content-type", "application/x-www-form-urlencoded")],
            body: Array(
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
                    .utf8))
    }

    func accessToken(_ client: HTTP2Client) async throws -> String {
        let response = try await client.ask(tokenRequest(assertion()))
        return try #require(response.json["access_token"]?.text)
    }

    func message(_ body: String, bearer: String, path: String? = nil) -> HTTP2Request {
        HTTP2Request(
            path: path ?? sendPath,
            headers: [
                HTTP2Header("authorization", "Bearer \(bearer)"),
                HTTP2Header("content-type", "application/json"),
            ], body: Array(body.utf8))
    }
}

extension HTTP2Client {
    func ask(_ request: HTTP2Request) async throws -> HTTP2Response {
        try await send(request, deadline: .after(.seconds(30))).get()
    }
}

extension HTTP2Response {
    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSONValue { (try? JSONValue.parse(body)) ?? .null }
}
