/// Decides who hears an alert: the ten steps over facts, in their order, without clock or database.
public enum Recipients {
    /// One decision per member, in the order of the facts.
    public static func decide(_ alert: Alert, _ facts: AudienceFacts) -> [MemberDecision] {
        let questions = Questions(
            kind: alert.kind, subject: alert.subject, total: alert.content.total, at: facts.at,
            policy: facts.policy, assignee: facts.assignee)
        return facts.members.map { questions.decide($0, asking: .all) }
    }

    /// Asks again for one push what its kind wants asked at sending. A no ends the push.
    public static func recheck(_ alert: PushedAlert, _ facts: PushFacts) -> Verdict {
        let questions = Questions(
            kind: alert.kind, subject: alert.subject, total: alert.total, at: facts.at,
            policy: facts.policy, assignee: facts.assignee)
        guard var member = facts.member else { return .no(.notAMember) }
        member.devices.removeAll { $0.id != facts.device }
        return questions.decide(member, asking: alert.kind.askedAgain).verdict
    }

    /// How many members would hear a kind now, whatever the subject, and what stops the others.
    public static func coverage(of kind: AlertKind, _ facts: AudienceFacts) -> KindCoverage {
        let questions = Questions(
            kind: kind, subject: AlertSubject(), total: nil, at: facts.at, policy: facts.policy,
            assignee: nil)
        var coverage = KindCoverage(kind: kind)
        for member in facts.members {
            let verdict = questions.decide(member, asking: .coverage).verdict
            coverage.members += 1
            if verdict.isYes {
                coverage.wouldAlert += 1
            } else {
                coverage.blocked[verdict.reason, default: 0] += 1
            }
        }
        return coverage
    }
}

/// What a queued push carries of its alert, so that it can be decided again.
public struct PushedAlert: Sendable, Equatable {
    public let kind: AlertKind
    public let subject: AlertSubject
    /// For minimum amounts; nil for what is no order.
    public let total: Money?

    public init(kind: AlertKind, subject: AlertSubject, total: Money?) {
        self.kind = kind
        self.subject = subject
        self.total = total
    }

    /// What a push of this alert carries.
    public init(_ alert: Alert) {
        self.init(kind: alert.kind, subject: alert.subject, total: alert.content.total)
    }
}

/// Who would be alerted of a kind now.
public struct KindCoverage: Sendable, Equatable {
    public let kind: AlertKind
    /// Everybody who was asked about.
    public var members = 0
    /// Those for whom every question is answered yes.
    public var wouldAlert = 0
    /// How many each reason stops; reasons that stop nobody are not there.
    public var blocked: [Reason: Int] = [:]

    /// Nobody would hear it.
    public var isWarning: Bool { wouldAlert == 0 }

    /// Nobody is counted yet.
    public init(kind: AlertKind) { self.kind = kind }
}
