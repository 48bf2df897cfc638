extension Preferences {
    /// The kinds that somebody may receive at all, in their listed order.
    public static func available(with permissions: Set<Permission>) -> [AlertKind] {
        AlertKind.listed.filter { $0.permission.map { permissions.contains($0) } ?? true }
    }

    /// The kinds that are on for somebody, in their listed order.
    public func enabled(
        with permissions: Set<Permission>, under policy: PushPolicy
    ) -> [AlertKind] {
        Self.available(with: permissions).filter { wants($0, under: policy) }
    }

    /// Replaces the switch and the kinds and nothing else, or finds every fault and changes
    /// nothing.
    ///
    /// Kinds that the member cannot see keep what was said about them before, mostly nothing.
    ///
    /// - Parameter events: the names that are to be on; repeats count once, none at all is a
    ///   choice.
    public func replacing(
        isEnabled: Bool, events: [String], permissions: Set<Permission>, policy: PushPolicy
    ) throws(PreferenceFaults) -> Preferences {
        let available = Self.available(with: permissions)
        let wanted = Set(events)
        var faults = Self.faults(in: events, available: Set(available))
        for kind in available where policy.requires(kind) && !wanted.contains(kind.name) {
            faults.append(
                PreferenceFault(
                    code: .lockedByPolicy, pointer: "/enabled_events",
                    message: "\(kind.name) is required by the store"))
        }
        guard faults.isEmpty else { throw PreferenceFaults(faults: faults) }
        var result = self
        result.isSaved = true
        result.isEnabled = isEnabled
        for kind in available { result.kinds[kind.name] = wanted.contains(kind.name) }
        return result
    }

    private static func faults(
        in events: [String], available: Set<AlertKind>
    ) -> [PreferenceFault] {
        events.enumerated().compactMap { index, name in
            let pointer = "/enabled_events/\(index)"
            guard let kind = AlertKind.named(name), kind.isListed else {
                return PreferenceFault(
                    code: .unknownValue, pointer: pointer, message: "is no known event")
            }
            if available.contains(kind) { return nil }
            return PreferenceFault(
                code: .eventNotAvailable, pointer: pointer,
                message: "is not available to this member")
        }
    }
}

/// One reason to refuse saved preferences.
public struct PreferenceFault: Sendable, Equatable {
    /// The words of the API.
    public enum Code: String, Sendable {
        /// There is no such kind, or members do not switch it.
        case unknownValue = "unknown_value"
        /// The member lacks the permission that the kind asks for.
        case eventNotAvailable = "event_not_available"
        /// A kind that the store requires is not among those that are to be on.
        case lockedByPolicy = "locked_by_policy"
    }

    public let code: Code
    /// A JSON pointer (RFC 6901) into the body.
    public let pointer: String
    /// What is wrong, for people.
    public let message: String
}

/// Every reason, in the order of the list, what is missing last.
public struct PreferenceFaults: Error, Sendable, Equatable {
    /// At least one.
    public let faults: [PreferenceFault]
}
