import HTTP2
import JSON
import Runtime
import Values

/// APNs of one environment.
final class APNsDouble: Sendable {
    private let environment: String
    private let tokens: ProviderTokenRules
    private let rules: APNsRules
    private let streams: UInt32
    private let desk: Desk

    init(
        environment: String, _ credentials: SimulatorCredentials,
        _ configuration: SimulatorConfiguration, tokens: ProviderTokenRules, desk: Desk
    ) {
        self.environment = environment
        self.tokens = tokens
        self.desk = desk
        rules = APNsRules(topic: credentials.apnsTopic)
        streams = configuration.apnsStreams
    }

    func handle(_ request: HTTP2ServerRequest, _ responder: HTTP2Responder) {
        let token = APNsRules.token(of: request.path)
        desk.serve(request, responder, .apns, environment, token: token) { rule in
            if let status = rule?.status {
                return answer(
                    request, APNsVerdict(status: status, reason: rule?.reason), rule: rule)
            }
            return answer(request, judge(request), rule: rule)
        }
    }

    private func judge(_ request: HTTP2ServerRequest) -> APNsVerdict {
        if let verdict = rules.shape(request) { return verdict }
        let read = tokens.read(request.headers["authorization"])
        let now = desk.clock()
        let (verdict, isNewlyProven) = request.connection.memory.withLock {
            memory -> (APNsVerdict?, Bool) in
            var connection = memory as? APNsConnection ?? APNsConnection()
            let wasProven = connection.isProven
            let verdict = connection.judge(read, tokens, at: now)
            memory = connection
            return (verdict, connection.isProven && !wasProven)
        }
        // One stream until a request with a valid token was posted.
        if isNewlyProven { request.connection.setMaxConcurrentStreams(streams) }
        return verdict ?? rules.push(request) ?? .accepted
    }

    private func answer(
        _ request: HTTP2ServerRequest, _ verdict: APNsVerdict, rule: ScriptRule?
    ) -> Desk.Answer {
        let asked = request.headers["apns-id"]
        let id = asked.flatMap { APNsRules.isCanonical($0) ? $0 : nil }
        var headers = [HTTP2Header("apns-id", id ?? UUID.random().description)]
        if environment == "sandbox", verdict.status == 200 {
            headers.append(HTTP2Header("apns-unique-id", UUID.random().description))
        }
        let body = rule?.body ?? self.body(verdict)
        if !body.isEmpty { headers.append(HTTP2Header("content-type", "application/json")) }
        headers.append(contentsOf: rule?.headers ?? [])
        return Desk.Answer(
            response: HTTP2Response(status: verdict.status, headers: headers, body: body),
            reason: verdict.reason, repeats: id.map(\.hashValue))
    }

    private func body(_ verdict: APNsVerdict) -> [UInt8] {
        guard let reason = verdict.reason else { return [] }
        var writer = JSONWriter(reserving: 64)
        writer.beginObject()
        writer.member("reason", reason)
        if verdict.status == 410 {
            writer.member("timestamp", desk.clock().microseconds / 1000)
        }
        writer.endObject()
        return writer.bytes
    }
}
