import Alerts
import HTTP2
import Runtime
import Values

/// What one route counts.
struct PushMetrics: Sendable {
    private let route: PushRoute
    private let requests: Counter
    private let outcomes: Counter
    private let seconds: Histogram
    private let renewals: Counter

    init(_ metrics: Metrics, _ route: PushRoute) {
        self.route = route
        requests = metrics.counter(
            "sineta_push_requests_total", "Requests sent to a provider.",
            labels: ["provider", "environment"])
        outcomes = metrics.counter(
            "sineta_push_outcomes_total", "What providers made of pushes.",
            labels: ["provider", "environment", "outcome", "reason"])
        seconds = metrics.histogram(
            "sineta_push_request_seconds", "From handing a request over to its end.",
            labels: ["provider", "environment"])
        renewals = metrics.counter(
            "sineta_push_token_renewals_total", "Provider and access tokens made or fetched.",
            labels: ["provider", "environment", "result"])
    }

    func request() { requests.add(1, route.transport, route.environment) }

    func ended(_ outcome: ProviderOutcome, after duration: Duration) {
        seconds.observe(duration.secondsAsDouble, route.transport, route.environment)
        outcomes.add(
            1, route.transport, route.environment, outcome.name, outcome.word?.reason ?? "")
    }

    func renewed(_ result: String) { renewals.add(1, route.transport, route.environment, result) }
}

extension ProviderOutcome {
    /// Its name in metrics.
    fileprivate var name: String {
        switch self {
        case .accepted: "accepted"
        case .unregistered: "unregistered"
        case .retry: "retry"
        case .throttled: "throttled"
        case .credentialsRefused: "credentials_refused"
        case .targetRefused: "target_refused"
        case .requestRefused: "request_refused"
        }
    }
}
