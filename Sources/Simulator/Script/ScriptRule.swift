public import HTTP2
public import JSON

/// An answer or an accident that is set ahead.
public struct ScriptRule: Sendable, Equatable {
    /// What happens to the connection, before the answer.
    public enum Accident: Sendable, Equatable {
        /// GOAWAY; nil names this request's stream as the last.
        case goaway(lastStream: Int32?)
        /// GOAWAY that names no stream.
        case goawayNotice
        /// Ends TLS and TCP; the request gets no answer.
        case close
        /// Neither reads nor writes any more.
        case freeze
        /// This request and the next of the connection, so many in all, are reset as not processed.
        case refuseStreams(Int)
        case maxConcurrentStreams(UInt32)
    }

    /// Which requests it is for; nil is any.
    public var token: String?
    public var provider: SimulatedProvider?
    /// `production` or `sandbox`.
    public var environment: String?
    /// How often it is used; nil until the script is deleted.
    public var next: Int?
    /// Nil leaves the answer to the provider's rules.
    public var status: Int?
    /// The provider's word of the answer; nil: none from APNs, `INTERNAL` from FCM.
    public var reason: String?
    /// Beside those of the answer itself.
    public var headers: [HTTP2Header] = []
    /// Nil makes the body that the provider sends with this status and reason.
    public var body: [UInt8]?
    /// How long the answer is held back; the accidents are not.
    public var delay: Duration = .zero
    /// In this order, before the answer.
    public var accidents: [Accident] = []

    public init(
        token: String? = nil, provider: SimulatedProvider? = nil, environment: String? = nil,
        next: Int? = nil, status: Int? = nil, reason: String? = nil, headers: [HTTP2Header] = [],
        body: [UInt8]? = nil, delay: Duration = .zero, accidents: [Accident] = []
    ) {
        self.token = token
        self.provider = provider
        self.environment = environment
        self.next = next
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
        self.delay = delay
        self.accidents = accidents
    }
}

/// What is wrong with a rule, by the member's name.
public struct ScriptFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// Names the member, and what it should be.
    public let description: String
}

extension ScriptRule {
    private static let members: Set<String> = [
        "token", "provider", "environment", "next", "status", "reason", "headers", "body", "delay",
        "connection",
    ]

    /// Reads a rule as `POST /script` takes it: `delay` in seconds, `body` any JSON (a text goes
    /// out as it is), `connection` an object of accidents.
    public init(json: JSONValue) throws(ScriptFault) {
        guard let object = json.object else { throw ScriptFault(description: "must be an object") }
        for key in object.keys where !Self.members.contains(key) {
            throw ScriptFault(description: "\(key): unknown")
        }
        self.init()
        token = try Self.read(object, "token", "a text") { $0.text }
        provider = try Self.read(object, "provider", "apns, fcm or token") {
            $0.text.flatMap(SimulatedProvider.init)
        }
        environment = try Self.read(object, "environment", "production or sandbox") {
            $0.text.flatMap { ["production", "sandbox"].contains($0) ? $0 : nil }
        }
        next = try Self.read(object, "next", "1 or more") {
            $0.integer.flatMap { $0 >= 1 ? Int($0) : nil }
        }
        status = try Self.read(object, "status", "200 to 599") {
            $0.integer.flatMap { (200...599).contains($0) ? Int($0) : nil }
        }
        reason = try Self.read(object, "reason", "a text") { $0.text }
        headers = try Self.read(object, "headers", "an object of texts", Self.headers) ?? []
        body = object["body"].map { $0.text.map { Array($0.utf8) } ?? $0.encoded }
        delay = try Self.read(object, "delay", "seconds, 0 or more", Self.seconds) ?? .zero
        if let connection = object["connection"] { accidents = try Self.accidents(connection) }
    }

    private static func read<Value>(
        _ object: JSONObject, _ name: String, _ wanted: String, _ convert: (JSONValue) -> Value?
    ) throws(ScriptFault) -> Value? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let result = convert(value) else {
            throw ScriptFault(description: "\(name): must be \(wanted)")
        }
        return result
    }

    private static func headers(_ value: JSONValue) -> [HTTP2Header]? {
        guard let object = value.object else { return nil }
        var headers: [HTTP2Header] = []
        for member in object {
            guard let text = member.value.text else { return nil }
            headers.append(HTTP2Header(member.key.lowercased(), text))
        }
        return headers
    }

    private static func seconds(_ value: JSONValue) -> Duration? {
        let seconds = value.integer.map { Double($0) } ?? value.real ?? -1
        return (0...3600).contains(seconds) ? .seconds(seconds) : nil
    }

    private static func accidents(_ value: JSONValue) throws(ScriptFault) -> [Accident] {
        guard let object = value.object else {
            throw ScriptFault(description: "connection: must be an object")
        }
        var accidents: [Accident] = []
        for member in object {
            switch (member.key, member.value) {
            case ("goaway", .bool(true)): accidents.append(.goaway(lastStream: nil))
            case ("goaway", .text("notice")): accidents.append(.goawayNotice)
            case ("goaway", .integer(let last)) where (0...Int64(Int32.max)).contains(last):
                accidents.append(.goaway(lastStream: Int32(last)))
            case ("close", .bool(true)): accidents.append(.close)
            case ("freeze", .bool(true)): accidents.append(.freeze)
            case ("refuse_streams", .bool(true)): accidents.append(.refuseStreams(.max))
            case ("refuse_streams", .integer(let count)) where count >= 1:
                accidents.append(.refuseStreams(Int(count)))
            case ("max_concurrent_streams", .integer(let count))
            where (0...Int64(UInt32.max)).contains(count):
                accidents.append(.maxConcurrentStreams(UInt32(count)))
            case (_, .bool(false)), (_, .null): break
            default: throw ScriptFault(description: "connection.\(member.key): not understood")
            }
        }
        return accidents
    }
}
