import Runtime
import Testing

@Suite("Metrics") struct MetricsTests {
    @Test("are rendered in Prometheus' text format, names and labels in order")
    func exposition() {
        let metrics = Metrics()
        let sent = metrics.counter(
            "sineta_sent_total", "Pushes sent.", labels: ["provider", "reason"])
        sent.add(2, "fcm", "accepted")
        sent.add(1, "apns", "accepted")
        metrics.gauge("sineta_lanes", "Lanes.").set(4.5)
        let took = metrics.histogram("sineta_took_seconds", "Time.", buckets: [0.1, 1])
        took.observe(0.1)
        took.observe(0.5)
        took.observe(7)
        #expect(
            metrics.render() == """
                # HELP sineta_lanes Lanes.
                # TYPE sineta_lanes gauge
                sineta_lanes 4.5
                # HELP sineta_sent_total Pushes sent.
                # TYPE sineta_sent_total counter
                sineta_sent_total{provider="apns",reason="accepted"} 1
                sineta_sent_total{provider="fcm",reason="accepted"} 2
                # HELP sineta_took_seconds Time.
                # TYPE sineta_took_seconds histogram
                sineta_took_seconds_bucket{le="0.1"} 1
                sineta_took_seconds_bucket{le="1"} 2
                sineta_took_seconds_bucket{le="+Inf"} 3
                sineta_took_seconds_sum 7.6
                sineta_took_seconds_count 3

                """)
    }

    @Test("keep a hostile label inside its quotes")
    func labels() {
        let metrics = Metrics()
        metrics.counter("x_total", "X.", labels: ["reason"]).add(1, "a\"} 1\nevil 2\\")
        #expect(metrics.render().contains("x_total{reason=\"a\\\"} 1\\nevil 2\\\\\"} 1\n"))
    }

    @Test("exist with zero from the start when they have no labels")
    func zero() {
        let metrics = Metrics()
        _ = metrics.counter("unheard_total", "Unheard.")
        #expect(metrics.render().contains("\nunheard_total 0\n"))
    }

    @Test("lose no count when many add at once, and are one however often they are asked for")
    func concurrent() async {
        let metrics = Metrics()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let counter = metrics.counter("n_total", "N.", labels: ["l"])
                    for _ in 0..<1000 { counter.add(1, "a") }
                }
            }
        }
        #expect(metrics.render().contains("n_total{l=\"a\"} 8000\n"))
    }

    @Test("ask samplers just before each rendering")
    func samplers() {
        let metrics = Metrics()
        let gauge = metrics.gauge("depth", "Depth.")
        let depth = Lock(1.0)
        metrics.sample { gauge.set(depth.withLock { $0 }) }
        #expect(metrics.render().contains("\ndepth 1\n"))
        depth.withLock { $0 = 2 }
        #expect(metrics.render().contains("\ndepth 2\n"))
    }
}
