/// Why an event raised no alert. The words of the API.
public enum NoAlertReason: String, Sendable, CaseIterable {
    /// Another event has raised this alert for the same order, message or conversation.
    case alreadyRaised = "already_raised"
    /// More is left of the variant than the store's threshold.
    case aboveThreshold = "above_threshold"
    /// The variant's stock at this location has raised on this day of the store.
    case alreadyToday = "already_today"
    /// Stock that is not newer than what is known.
    case stale
    /// A bot answers the conversation.
    case botOn = "bot_on"
    /// An assignment that takes the assignee away.
    case noAssignee = "no_assignee"
    /// Events of this type never raise.
    case noAlert = "no_alert"
    /// It happened longer ago than an alert lives; what it says is kept all the same.
    case tooOld = "too_old"
}
