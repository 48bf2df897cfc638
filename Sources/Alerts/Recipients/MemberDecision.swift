public import JSON
public import Values

/// What was decided for one person, and why: it answers "why did I not get it?".
public struct MemberDecision: Sendable, Equatable {
    public let user: UserID
    /// Yes when any device says yes.
    public let verdict: Verdict
    /// Which setting held it back, as `minimum BRL 100.00` or `conversation <id>`.
    public let filter: String?
    /// Whether the alert stands in their inbox: every question about the person was answered yes.
    public let isInInbox: Bool
    /// One line per device that could carry it, once the questions about the person are passed.
    public var devices: [DeviceDecision]

    public init(
        user: UserID, verdict: Verdict, filter: String? = nil, isInInbox: Bool,
        devices: [DeviceDecision] = []
    ) {
        self.user = user
        self.verdict = verdict
        self.filter = filter
        self.isInInbox = isInInbox
        self.devices = devices
    }
}

/// What was decided for one device.
public struct DeviceDecision: Sendable, Equatable {
    public let device: DeviceID
    /// What would carry it: kept, since the device may be gone when somebody asks. Nil in decisions
    /// of before this was kept.
    public let transport: Transport?
    /// Why this device rings or does not.
    public let verdict: Verdict
    /// The push that was queued for it, which the decider names.
    public var push: PushID?

    public init(
        device: DeviceID, transport: Transport?, verdict: Verdict, push: PushID? = nil
    ) {
        self.device = device
        self.transport = transport
        self.verdict = verdict
        self.push = push
    }
}

extension Verdict {
    fileprivate func write(to object: inout JSONObject) {
        object["reason"] = .text(reason.rawValue)
        if case .yes(let manner) = self { object["manner"] = .text(manner.rawValue) }
    }

    fileprivate init?(json: JSONValue) {
        guard let reason = json["reason"]?.text else { return nil }
        if let manner = json["manner"]?.text {
            self = .yes(Manner(rawValue: manner))
        } else {
            self = .no(Reason(rawValue: reason))
        }
    }
}

extension MemberDecision {
    /// The kept form.
    public var json: JSONValue {
        var object = JSONObject([("user_id", .text(user.description))])
        verdict.write(to: &object)
        object["filter"] = filter.map { .text($0) }
        object["inbox"] = .bool(isInInbox)
        object["devices"] = .array(devices.map(\.json))
        return .object(object)
    }

    /// Reads the kept form; nil without a user or a verdict. Devices that cannot be read are left
    /// out.
    public init?(json: JSONValue) {
        guard let user = json["user_id"]?.text.flatMap({ UserID($0) }),
            let verdict = Verdict(json: json), let isInInbox = json["inbox"]?.bool
        else { return nil }
        self.init(
            user: user, verdict: verdict, filter: json["filter"]?.text, isInInbox: isInInbox,
            devices: (json["devices"]?.array ?? []).compactMap { DeviceDecision(json: $0) })
    }
}

extension DeviceDecision {
    /// The kept form, as it stands within the member's.
    public var json: JSONValue {
        var object = JSONObject([("device_id", .text(device.description))])
        object["transport"] = transport.map { .text($0.rawValue) }
        verdict.write(to: &object)
        object["push_id"] = push.map { .text($0.description) }
        return .object(object)
    }

    /// Reads it back; nil without a device or a verdict.
    public init?(json: JSONValue) {
        guard let device = json["device_id"]?.text.flatMap({ DeviceID($0) }),
            let verdict = Verdict(json: json)
        else { return nil }
        self.init(
            device: device, transport: json["transport"]?.text.map { Transport(rawValue: $0) },
            verdict: verdict, push: json["push_id"]?.text.flatMap { PushID($0) })
    }
}
