import Cryptography
import Foundation
import HTTP2
import Push
import Runtime
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
    private let folder: URL
    private let log: Lock<[Asked]>

    /// - Parameter answer: takes the request and how many came before it; nil never answers.
    init(_ answer: @escaping Answer) throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: Foundation.UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let authority = try CertificateAuthority()
        try authority.certificatePEM.write(
            to: folder.appending(path: "ca.pem"), atomically: true, encoding: .utf8)
        let identity = try authority.issue(names: ["127.0.0.1"])
        let log = Lock<[Asked]>([])
        self.log = log
        server = try HTTP2Server(
            identity: HTTP2Identity(certificate: identity.certificatePEM, key: identity.keyPEM)
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

    deinit {
        server.close()
        try? FileManager.default.removeItem(at: folder)
    }

    var asked: [Asked] { log.withLock { $0 } }

    var caPath: String { folder.appending(path: "ca.pem").path }
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
