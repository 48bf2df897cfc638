import Cryptography
import Foundation
import HTTP2
import Push
import Runtime
import TestKit
import Values

/// A provider with one answer for each request, which a test writes.
final class ProviderDouble: Sendable {
    struct Asked: Sendable {
        let path: String
        let headers: [HTTP2Header]
        let body: String
        let connection: UInt64

        var bearer: String { headers["authorization"] ?? "" }
    }

    typealias Answer = @Sendable (Asked, Int) -> HTTP2Response?

    private let server: HTTP2Server
    private let folder: TemporaryFolder
    let caPath: String
    private let log: Lock<[Asked]>

    /// - Parameter answer: takes the request and how many came before it; nil never answers.
    init(
        onConnection: @escaping @Sendable (HTTP2ServerConnection) -> Void = { _ in },
        _ answer: @escaping Answer
    ) throws {
        folder = try TemporaryFolder("double")
        let authority = try CertificateAuthority()
        caPath = try folder.write(authority.certificatePEM, as: "ca.pem")
        let identity = try authority.issue(names: ["127.0.0.1"])
        let log = Lock<[Asked]>([])
        self.log = log
        server = try HTTP2Server(
            identity: HTTP2Identity(certificate: identity.certificatePEM, key: identity.keyPEM),
            onConnection: onConnection
        ) { request, responder in
            let asked = Asked(
                path: request.path, headers: request.headers,
                body: String(decoding: request.body, as: UTF8.self),
                connection: request.connection.number)
            let before = log.withLock { log in
                log.append(asked)
                return log.count - 1
            }
            if let response = answer(asked, before) { responder.respond(response) }
        }
    }

    deinit { server.close() }

    var asked: [Asked] { log.withLock { $0 } }

    var port: UInt16 { server.port }

    func endpoint() throws -> PushEndpoint {
        try PushEndpoint(
            url: "https://127.0.0.1:\(server.port)", variable: "TEST_URL",
            caPath: caPath)
    }

    static func reason(_ status: Int, _ reason: String) -> HTTP2Response {
        HTTP2Response(status: status, body: Array(#"{"reason":"\#(reason)"}"#.utf8))
    }
}
