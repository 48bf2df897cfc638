/// One question of the ten that decide whether somebody is alerted, in their order.
public enum Step: Int, Sendable, CaseIterable {
    /// Are they an active member of the store?
    case member = 1
    /// Do they hold the permission that the kind asks for?
    case permission
    /// Is the conversation theirs, as far as the kind asks?
    case assignment
    /// Was it somebody else who did it, as far as the kind asks?
    case action
    /// Is the store on in their settings?
    case store
    /// Is the kind required, switched on, or on by default?
    case kind
    /// Do their minimum amount and their mutes let it pass? What the store requires passes.
    case filters
    /// Have they a device of a transport that may carry the kind?
    case device
    /// Is the device's session alive?
    case session
    /// Has the device's provider credentials for its environment?
    case provider
}

/// A choice of steps.
public struct StepSet: OptionSet, Sendable {
    /// A bit for each step, at its number.
    public let rawValue: Int

    /// Takes any bits; those of no step mean nothing.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// In any order; repeats count once.
    public init(_ steps: [Step]) {
        self.init(rawValue: steps.reduce(0) { $0 | 1 << $1.rawValue })
    }

    /// Whether the step is asked.
    public func contains(_ step: Step) -> Bool { rawValue & 1 << step.rawValue != 0 }

    /// What is asked when an alert is decided.
    public static let all = StepSet(Step.allCases)

    /// What is asked again when a push is sent: who acted does not change any more.
    public static let atSending = StepSet(Step.allCases.filter { $0 != .action })

    /// What stands between a member and a kind as such, whatever the subject of an alert is.
    public static let coverage = StepSet(
        Step.allCases.filter { $0 != .assignment && $0 != .action && $0 != .filters })
}
