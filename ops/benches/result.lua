-- The line that ground.py reads: per second, p50 and p99 in milliseconds, refused or unanswered.
function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        "RESULT %.1f %.3f %.3f %d\n", summary.requests / (summary.duration / 1e6),
        latency:percentile(50) / 1000, latency:percentile(99) / 1000,
        errors.status + errors.read + errors.write + errors.timeout + errors.connect))
end
