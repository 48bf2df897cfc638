/// The metrics of the process, rendered in Prometheus' text format
/// (https://prometheus.io/docs/instrumenting/exposition_formats/).
///
/// A series is made when first touched. Asking twice for one name gives the same metric; asking for
/// it as another type stops the program, since that is a mistake in the code.
public final class Metrics: Sendable {
    private let families = Lock<[String: Family]>([:])
    private let samplers = Lock<[@Sendable () -> Void]>([])

    /// Without any metric yet.
    public init() {}

    /// A count that only grows. Its name ends in `_total`.
    public func counter(_ name: String, _ help: String, labels: [String] = []) -> Counter {
        Counter(family: family(name, help, labels, .counter))
    }

    /// A value that goes up and down.
    public func gauge(_ name: String, _ help: String, labels: [String] = []) -> Gauge {
        Gauge(family: family(name, help, labels, .gauge))
    }

    /// A distribution over fixed upper bounds, in the unit that the name ends in.
    public func histogram(
        _ name: String, _ help: String, labels: [String] = [],
        buckets: [Double] = Histogram.seconds
    ) -> Histogram {
        Histogram(family: family(name, help, labels, .histogram(buckets)))
    }

    /// Adds something that sets gauges just before each rendering. It must be quick.
    public func sample(_ sampler: @escaping @Sendable () -> Void) {
        samplers.withLock { $0.append(sampler) }
    }

    /// The exposition, families in the order of their names.
    public func render() -> String {
        for sampler in samplers.withLock({ $0 }) { sampler() }
        return families.withLock { families in
            families.keys.sorted().compactMap { families[$0]?.render() }.joined()
        }
    }

    private func family(
        _ name: String, _ help: String, _ labels: [String], _ kind: Family.Kind
    ) -> Family {
        families.withLock { families in
            if let known = families[name] {
                precondition(known.kind == kind, "metric \(name) is declared twice, as two types")
                return known
            }
            let family = Family(name: name, help: help, labels: labels, kind: kind)
            families[name] = family
            return family
        }
    }
}

/// A count that only grows, of one series for each set of label values.
public struct Counter: Sendable {
    let family: Family

    /// Grows by an amount that is not negative. Label values come in the order of the declaration.
    public func add(_ amount: Double = 1, _ labels: String...) {
        family.update(labels) { $0.value += amount }
    }
}

/// A value that goes up and down, of one series for each set of label values.
public struct Gauge: Sendable {
    let family: Family

    /// Label values come in the order of the declaration.
    public func set(_ value: Double, _ labels: String...) {
        family.update(labels) { $0.value = value }
    }

    /// Changes it by an amount, which may be negative.
    public func add(_ amount: Double, _ labels: String...) {
        family.update(labels) { $0.value += amount }
    }

    /// Forgets every series, for gauges whose labels come and go.
    public func reset() { family.reset() }
}

/// How values are spread over buckets, of one series for each set of label values.
public struct Histogram: Sendable {
    /// From a millisecond to a minute.
    public static let seconds: [Double] = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
    ]

    let family: Family

    /// One value, in the metric's unit. Label values come in the order of the declaration.
    public func observe(_ value: Double, _ labels: String...) {
        family.observe(value, labels)
    }
}
