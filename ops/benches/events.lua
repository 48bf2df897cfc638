-- One event per request, each with an id of its own.
local thread_count = 0
function setup(thread)
    thread:set("number", thread_count)
    thread_count = thread_count + 1
end

local count = 0
local run = tostring(os.time())
function request()
    count = count + 1
    local order = string.format("%08x-0000-7000-8000-%04x%08x", os.time() % 4294967296, number, count)
    local body = '{"id":"' .. run .. "-" .. number .. "-" .. count .. '","type":"orders.paid","data":{"order_id":"'
        .. order .. '","number":"1042","total":{"amount":"1234.56","currency":"BRL"},"customer_name":"Ana Souza"}}'
    return wrk.format("POST", nil, {
        ["Authorization"] = "Bearer " .. os.getenv("TOKEN"), ["Content-Type"] = "application/json",
    }, body)
end

function done(summary, latency)
    io.write(string.format(
        "RESULT %.1f %.2f %.2f %d\n", summary.requests / (summary.duration / 1e6),
        latency:percentile(50) / 1000, latency:percentile(99) / 1000, summary.errors.status))
end
