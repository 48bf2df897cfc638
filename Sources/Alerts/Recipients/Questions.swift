import Values

/// The questions of one alert, with everything that does not depend on the member worked out once.
struct Questions {
    let kind: AlertKind
    let subject: AlertSubject
    let total: Money?
    let at: Timestamp
    let policy: PushPolicy
    /// Who is responsible; somebody who left or lost the permission counts as nobody.
    let responsible: UserID?

    /// A no and the setting that gave it.
    struct Refusal {
        let reason: Reason
        var filter: String?
    }

    init(
        kind: AlertKind, subject: AlertSubject, total: Money?, at: Timestamp, policy: PushPolicy,
        assignee: AssigneeFacts?
    ) {
        self.kind = kind
        self.subject = subject
        self.total = total
        self.at = at
        self.policy = policy
        responsible = assignee.flatMap { $0.counts(for: kind) ? $0.user : nil }
    }

    func decide(_ member: MemberFacts, asking steps: StepSet) -> MemberDecision {
        for step in Step.allCases where steps.contains(step) {
            if let refusal = refusal(at: step, of: member) {
                return MemberDecision(
                    user: member.user, verdict: .no(refusal.reason), filter: refusal.filter,
                    isInInbox: false)
            }
        }
        let devices = member.devices.filter { kind.transports.contains($0.transport) }
            .map {
                DeviceDecision(
                    device: $0.id, transport: $0.transport, verdict: verdict(of: $0, asking: steps))
            }
        return MemberDecision(
            user: member.user, verdict: furthest(devices), isInInbox: kind.isInInbox,
            devices: devices)
    }

    /// Steps 1 to 7, which are about the person.
    private func refusal(at step: Step, of member: MemberFacts) -> Refusal? {
        switch step {
        case .member: member.isActiveMember ? nil : Refusal(reason: .notAMember)
        case .permission: isPermitted(member) ? nil : Refusal(reason: .noPermission)
        case .assignment: isResponsible(member) ? nil : Refusal(reason: .assignedToAnother)
        case .action: isOwnAction(member) ? Refusal(reason: .ownAction) : nil
        case .store: member.preferences.isEnabled ? nil : Refusal(reason: .storeDisabled)
        case .kind:
            member.preferences.wants(kind, under: policy) ? nil : Refusal(reason: .kindDisabled)
        case .filters: filtered(member.preferences)
        case .device, .session, .provider: nil
        }
    }

    private func isPermitted(_ member: MemberFacts) -> Bool {
        kind.permission.map { member.permissions.contains($0) } ?? true
    }

    private func isResponsible(_ member: MemberFacts) -> Bool {
        switch kind.assignment {
        case .none: true
        case .assigneeOrNobody: responsible == nil || responsible == member.user
        case .newAssignee: subject.assignee == member.user && responsible == member.user
        }
    }

    private func isOwnAction(_ member: MemberFacts) -> Bool {
        kind.excludesActor && subject.actor == member.user
    }

    /// The first of the kind's filters that holds the alert back. What the store requires passes.
    private func filtered(_ preferences: Preferences) -> Refusal? {
        if policy.requires(kind) { return nil }
        for filter in kind.filters {
            if let refusal = refusal(by: filter, preferences) { return refusal }
        }
        return nil
    }

    private func refusal(by filter: AlertKind.Filter, _ preferences: Preferences) -> Refusal? {
        switch filter {
        case .minimumAmount:
            guard let total, let minimum = preferences.minimums[total.currency],
                total.amount < minimum
            else { return nil }
            return Refusal(
                reason: .belowMinimum, filter: "minimum \(total.currency) \(minimum)")
        case .mute(let muted, let key):
            guard let id = subject[key], preferences.isMuted(muted, id, at: at) else {
                return nil
            }
            return Refusal(reason: .muted, filter: "\(muted.rawValue) \(id)")
        }
    }

    /// Steps 9 and 10, which are about one device.
    private func verdict(of device: DeviceFacts, asking steps: StepSet) -> Verdict {
        if steps.contains(.session), !device.hasLiveSession { return .no(.sessionExpired) }
        if steps.contains(.provider), !device.isProviderConfigured {
            return .no(.providerNotConfigured)
        }
        return .yes(.loudNow)
    }

    /// Yes if any device says so, else the furthest step that any of them reached (step 8 if none).
    private func furthest(_ devices: [DeviceDecision]) -> Verdict {
        if let yes = devices.first(where: { $0.verdict.isYes }) { return yes.verdict }
        if devices.contains(where: { $0.verdict == .no(.providerNotConfigured) }) {
            return .no(.providerNotConfigured)
        }
        return devices.isEmpty ? .no(.noDevice) : .no(.sessionExpired)
    }
}

extension AssigneeFacts {
    fileprivate func counts(for kind: AlertKind) -> Bool {
        isActiveMember && (kind.permission.map { permissions.contains($0) } ?? true)
    }
}
