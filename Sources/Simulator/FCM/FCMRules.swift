import JSON

/// A message that FCM takes.
struct FCMMessage: Equatable, Sendable {
    /// The token, `fid`, topic or condition.
    let target: String
    let isTrial: Bool
}

/// The rules of FCM's `messages:send` for a body, as a function from values to the answer.
enum FCMRules {
    static func judge(_ body: [UInt8]) -> Result<FCMMessage, FCMFault> {
        let json: JSONValue
        do { json = try JSONValue.parse(body) } catch {
            return .failure(
                .invalid("", "Invalid JSON payload received. \(error.message)"))
        }
        guard let request = json.object else {
            return .failure(
                .invalid(
                    "",
                    "Invalid JSON payload received. Unknown name \"\": Root element must "
                        + "be a message."))
        }
        if let fault = FCMSchema.fault(request, FCMSchema.request, at: "") {
            return .failure(fault)
        }
        guard let message = request["message"]?.object else {
            return .failure(.invalid("message", "The message is not set."))
        }
        return judge(message, isTrial: (request["validate_only"] ?? request["validateOnly"])?.bool)
    }

    private static func judge(
        _ message: JSONObject, isTrial: Bool?
    ) -> Result<FCMMessage, FCMFault> {
        let targets = ["token", "fid", "topic", "condition"].filter {
            message[$0].map { !$0.isNull } ?? false
        }
        guard let kind = targets.first, let target = message[kind]?.text else {
            return .failure(.invalid("message", "Recipient of the message is not set."))
        }
        guard targets.count == 1 else {
            return .failure(
                .invalid(
                    "message",
                    "Invalid value at 'message' (oneof), oneof field 'target' is already set. "
                        + "Cannot set '\(targets[1])'"))
        }
        if let fault = reservedKey(message) ?? size(message, isTopic: kind == "topic") {
            return .failure(fault)
        }
        if kind == "token" || kind == "fid" {
            guard !target.isEmpty, !target.contains(where: \.isWhitespace) else {
                return .failure(.named(kind == "token" ? "INVALID_ARGUMENT" : "UNREGISTERED"))
            }
            if let reason = FCMWellKnownToken.reason(of: target) { return .failure(.named(reason)) }
        }
        return .success(FCMMessage(target: target, isTrial: isTrial ?? false))
    }

    private static func reservedKey(_ message: JSONObject) -> FCMFault? {
        let keys =
            (message["data"]?.object?.keys ?? [])
            + (message["android"]?["data"]?.object?.keys ?? [])
        let reserved = keys.first {
            $0 == "from" || $0 == "message_type" || $0.hasPrefix("google") || $0.hasPrefix("gcm")
        }
        guard let reserved else { return nil }
        var fault = FCMFault.invalid(
            "message.data.\(reserved)", "Invalid data payload key: \(reserved)")
        fault.errorCode = "INVALID_ARGUMENT"
        return fault
    }

    /// Keys and values of `notification` and `data`, in bytes: 4096, for topics 2048.
    private static func size(_ message: JSONObject, isTopic: Bool) -> FCMFault? {
        let android = message["android"]
        let data = android?["data"]?.object ?? message["data"]?.object
        var bytes = 0
        for part in [data, message["notification"]?.object, android?["notification"]?.object] {
            for member in part ?? JSONObject() {
                bytes += member.key.utf8.count
                bytes += member.value.text?.utf8.count ?? member.value.encoded.count
            }
        }
        return bytes > (isTopic ? 2048 : 4096) ? .tooLarge : nil
    }
}
