import HTTP2
import JSON
import Values

/// The rules of APNs for one request, as a function from values to the answer. The provider's token
/// is judged apart (`ProviderTokenRules`).
struct APNsRules: Sendable {
    /// The bundle id that the key may send to.
    let topic: String

    /// The hex token of a path, in lower case; nil when it names none.
    static func token(of path: String) -> String? {
        let prefix = "/3/device/"
        guard path.hasPrefix(prefix), path.utf8.count > prefix.utf8.count else { return nil }
        return path.dropFirst(prefix.count).lowercased()
    }

    /// What is wrong with method, path or repeated headers: it is seen before the token.
    func shape(_ request: HTTP2ServerRequest) -> APNsVerdict? {
        guard request.method == "POST" else { return .refused("MethodNotAllowed") }
        guard request.path != "/3/device", request.path != "/3/device/" else {
            return .refused("MissingDeviceToken")
        }
        guard let token = Self.token(of: request.path), !token.contains("/") else {
            return .refused("BadPath")
        }
        return hasDuplicates(request.headers) ? .refused("DuplicateHeaders") : nil
    }

    /// What is wrong with the push; nil accepts it.
    func push(_ request: HTTP2ServerRequest) -> APNsVerdict? {
        headers(request.headers) ?? payload(request) ?? device(request.path)
    }

    private func headers(_ headers: [HTTP2Header]) -> APNsVerdict? {
        if let id = headers["apns-id"], !Self.isCanonical(id) { return .refused("BadMessageId") }
        if let time = headers["apns-expiration"], !isTime(time) {
            return .refused("BadExpirationDate")
        }
        if let collapse = headers["apns-collapse-id"], !(1...64).contains(collapse.utf8.count) {
            return .refused("BadCollapseId")
        }
        guard let rule = rule(headers) else { return .refused("InvalidPushType") }
        let priority = headers["apns-priority"] ?? "10"
        guard ["10", "5", "1"].contains(priority), rule.priorities.contains(priority) else {
            return .refused("BadPriority")
        }
        guard let topic = headers["apns-topic"], !topic.isEmpty else {
            return .refused("MissingTopic")
        }
        return rule.fault(in: topic, of: self.topic)
    }

    private func payload(_ request: HTTP2ServerRequest) -> APNsVerdict? {
        guard !request.body.isEmpty else { return .refused("PayloadEmpty") }
        let limit = rule(request.headers)?.limit ?? PushTypeRule.alert.limit
        guard request.body.count <= limit else { return .refused("PayloadTooLarge") }
        // Apple documents no word for a body that is not a JSON object on this path; this is the
        // one of its other paths.
        guard let json = try? JSONValue.parse(request.body), json.object != nil else {
            return .refused("BadRequestPayload")
        }
        return nil
    }

    private func device(_ path: String) -> APNsVerdict? {
        guard let token = Self.token(of: path), Hex.decode(token)?.isEmpty == false else {
            return .refused("BadDeviceToken")
        }
        return APNsWellKnownToken.reason(of: token).map { .refused($0) }
    }

    private func rule(_ headers: [HTTP2Header]) -> PushTypeRule? {
        guard let type = headers["apns-push-type"] else { return .alert }
        return PushTypeRule.all[type]
    }

    private func hasDuplicates(_ headers: [HTTP2Header]) -> Bool {
        // About ten fields: comparing each with those before it is cheaper than a set.
        for (index, header) in headers.enumerated()
        where headers[..<index].contains(where: { $0.name == header.name }) {
            return true
        }
        return false
    }

    /// 32 lower-case hex digits, 8-4-4-4-12.
    static func isCanonical(_ id: String) -> Bool {
        UUID(id) != nil && !id.utf8.contains { (0x41...0x5A).contains($0) }
    }

    private func isTime(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int64(text) != nil
    }
}
