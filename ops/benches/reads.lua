-- The same request again and again; what it carries comes from the command line.
function done(summary, latency)
    io.write(string.format(
        "RESULT %.1f %.2f %.2f %d\n", summary.requests / (summary.duration / 1e6),
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, summary.errors.status))
end
