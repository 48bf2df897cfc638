import Cryptography
import HTTP2
import JSON
import Values

/// FCM's HTTP v1 API and Google's token endpoint on one port.
final class FCMDouble: Sendable {
    let accessTokens: AccessTokens
    private let path: String
    private let project: String
    private let endpoint: TokenEndpointRules
    private let lifetime: Int64
    private let desk: Desk

    init(
        _ credentials: SimulatorCredentials, _ configuration: SimulatorConfiguration, desk: Desk
    ) {
        self.desk = desk
        project = credentials.projectID
        path = "/v1/projects/\(credentials.projectID)/messages:send"
        endpoint = TokenEndpointRules(credentials)
        lifetime = configuration.accessTokenSeconds
        accessTokens = AccessTokens(seconds: lifetime)
    }

    func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
        guard request.path != "/token" else { return token(request, responder) }
        let message = FCMRules.judge(request.body)
        let target = target(message, of: request)
        desk.serve(request, responder, .fcm, "production", token: target) { rule in
            if let rule, let status = rule.status {
                return answer(request, scripted(rule, status), rule: rule)
            }
            return answer(request, judge(request, message), rule: rule)
        }
    }

    private func judge(
        _ request: HTTP2ServerRequest, _ message: Result<FCMMessage, FCMFault>
    ) -> Result<FCMMessage, FCMFault> {
        guard accessTokens.accepts(request.headers["authorization"], at: desk.clock()) else {
            return .failure(.unauthenticated)
        }
        guard request.method == "POST", request.path == path else { return .failure(.notFound) }
        return message
    }

    /// The target even of a message that is refused, as far as it can be read.
    private func target(
        _ message: Result<FCMMessage, FCMFault>, of request: HTTP2ServerRequest
    ) -> String? {
        if case .success(let message) = message { return message.target }
        return (try? JSONValue.parse(request.body))?["message"]?["token"]?.text
    }

    private func scripted(
        _ rule: ScriptRule, _ status: Int
    ) -> Result<FCMMessage, FCMFault> {
        guard status != 200 || rule.reason != nil else {
            return .success(FCMMessage(target: rule.token ?? "", isTrial: false))
        }
        return .failure(.named(rule.reason ?? "INTERNAL", status: status))
    }

    private func answer(
        _ request: HTTP2ServerRequest, _ verdict: Result<FCMMessage, FCMFault>, rule: ScriptRule?
    ) -> Desk.Answer {
        let status: Int
        let body: [UInt8]
        var reason: String?
        var repeats: Int?
        switch verdict {
        case .success(let message):
            status = 200
            body = name(isTrial: message.isTrial)
            repeats = message.isTrial ? nil : request.body.hashValue
        case .failure(let fault):
            status = fault.status
            body = fault.body
            reason = fault.reason
        }
        return Desk.Answer(
            response: response(status, rule?.body ?? body, rule), reason: reason, repeats: repeats)
    }

    private func name(isTrial: Bool) -> [UInt8] {
        let random = Hex.encode(SecureRandom.bytes(8))
        let id = isTrial ? "fake_message_id" : "0:\(desk.clock().microseconds)%\(random)"
        var writer = JSONWriter(reserving: 96)
        writer.beginObject()
        writer.member("name", "projects/\(project)/messages/\(id)")
        writer.endObject()
        return writer.bytes
    }

    private func response(_ status: Int, _ body: [UInt8], _ rule: ScriptRule?) -> HTTP2Response {
        let headers = [
            HTTP2Header("content-type", "application/json; charset=UTF-8"),
            // Without it libcurl resets the finished stream.
            HTTP2Header("content-length", String(body.count)),
        ]
        let own = rule?.headers ?? []
        let standard = headers.filter { header in !own.contains { $0.name == header.name } }
        return HTTP2Response(status: status, headers: standard + own, body: body)
    }

    // MARK: The token endpoint

    private func token(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
        desk.serve(request, responder, .token, "production", token: nil) { rule in
            let (status, body) = tokenAnswer(request, rule)
            return Desk.Answer(
                response: response(status, rule?.body ?? body, rule), reason: nil, repeats: nil)
        }
    }

    private func tokenAnswer(
        _ request: HTTP2ServerRequest, _ rule: ScriptRule?
    ) -> (status: Int, body: [UInt8]) {
        if let status = rule?.status {
            let fault = TokenFault(error: rule?.reason ?? "server_error", description: "Scripted")
            return (status, status == 200 ? accessToken() : fault.body)
        }
        guard request.method == "POST" else { return (404, FCMFault.notFound.body) }
        switch endpoint.judge(request.body, at: desk.clock()) {
        case .failure(let fault): return (400, fault.body)
        case .success(.accessToken): return (200, accessToken())
        case .success(.idTokenOnly): return (200, Array(#"{"id_token":"simulator"}"#.utf8))
        }
    }

    private func accessToken() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("access_token", accessTokens.issue(at: desk.clock()))
        writer.member("expires_in", lifetime)
        writer.member("token_type", "Bearer")
        writer.endObject()
        return writer.bytes
    }
}
