/// One question of the ten that decide whether somebody is alerted, in their order.
public enum Step: Int, Sendable, CaseIterable {
    case member = 1
    case permission
    case assignment
    case action
    case store
    case kind
    case filters
    case device
    case session
    case provider
}

/// A choice of steps.
public struct StepSet: OptionSet, Sendable {
    /// A bit for each step, at its number.
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

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
