/// All series of one metric name.
final class Family: Sendable {
    enum Kind: Sendable, Equatable {
        case counter
        case gauge
        case histogram([Double])
    }

    struct Series {
        var value: Double = 0
        var counts: [UInt64] = []
        var observations: UInt64 = 0
    }

    let name: String
    let help: String
    let labels: [String]
    let kind: Kind
    private let series = Lock<[[String]: Series]>([:])

    init(name: String, help: String, labels: [String], kind: Kind) {
        self.name = name
        self.help = help
        self.labels = labels
        self.kind = kind
        // A metric without labels exists from the start, so that a rate over it has a zero to begin
        // at.
        if labels.isEmpty { update([]) { _ in } }
    }

    func update(_ values: [String], _ change: (inout Series) -> Void) {
        precondition(values.count == labels.count, "metric \(name) takes labels \(labels)")
        series.withLock { change(&$0[values, default: empty]) }
    }

    func observe(_ value: Double, _ values: [String]) {
        guard case .histogram(let bounds) = kind else { return }
        update(values) { series in
            series.value += value
            series.observations += 1
            if let index = bounds.firstIndex(where: { value <= $0 }) { series.counts[index] += 1 }
        }
    }

    func reset() { series.withLock { $0.removeAll() } }

    private var empty: Series {
        guard case .histogram(let bounds) = kind else { return Series() }
        return Series(counts: Array(repeating: 0, count: bounds.count))
    }

    func render() -> String {
        let rows = series.withLock { series in series.map { ($0.key, $0.value) } }
        var text = "# HELP \(name) \(help)\n# TYPE \(name) \(typeName)\n"
        for (values, series) in rows.sorted(by: { $0.0.lexicographicallyPrecedes($1.0) }) {
            text += lines(values, series)
        }
        return text
    }

    private var typeName: String {
        switch kind {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        }
    }

    private func lines(_ values: [String], _ series: Series) -> String {
        guard case .histogram(let bounds) = kind else {
            return "\(name)\(braces(values)) \(number(series.value))\n"
        }
        var text = ""
        var sum: UInt64 = 0
        for (bound, count) in zip(bounds, series.counts) {
            sum += count
            text += "\(name)_bucket\(braces(values, le: number(bound))) \(sum)\n"
        }
        text += "\(name)_bucket\(braces(values, le: "+Inf")) \(series.observations)\n"
        text += "\(name)_sum\(braces(values)) \(number(series.value))\n"
        return text + "\(name)_count\(braces(values)) \(series.observations)\n"
    }

    private func braces(_ values: [String], le: String? = nil) -> String {
        var pairs = zip(labels, values).map { "\($0)=\"\(escaped($1))\"" }
        if let le { pairs.append("le=\"\(le)\"") }
        return pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
    }

    private func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }

    private func number(_ value: Double) -> String {
        if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
        return value.isFinite ? String(value) : (value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf")
    }
}
