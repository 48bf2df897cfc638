/// Why an event raised no alert. The words of the API.
public enum NoAlertReason: String, Sendable, CaseIterable {
    case alreadyRaised = "already_raised"
    case aboveThreshold = "above_threshold"
    case alreadyToday = "already_today"
    case stale
    case botOn = "bot_on"
    case noAssignee = "no_assignee"
    case noAlert = "no_alert"
    case tooOld = "too_old"
}
