-- One event per request, each with an id and an order of its own, store by store in turn.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "result.lua")
local senders = {}
local tokens = os.getenv("TOKENS"):gmatch("[^,]+")
for store in os.getenv("STORES"):gmatch("[^,]+") do
    senders[#senders + 1] = {
        path = "/v1/stores/" .. store .. "/events",
        headers = { ["Authorization"] = "Bearer " .. tokens(), ["Content-Type"] = "application/json" },
    }
end

local run = string.format("%08x", os.time() % 4294967296)
local count = 0

function event()
    count = count + 1
    return '{"id":"' .. run .. "-" .. count .. '","type":"orders.paid","data":{"order_id":"' .. run
        .. string.format("-0000-7000-8000-%012x", count)
        .. '","number":"1042","total":{"amount":"1234.56","currency":"BRL"},"customer_name":"Ana Souza"}}'
end

function body()
    return event()
end

local turn = 0
function request()
    turn = turn % #senders + 1
    local sender = senders[turn]
    return wrk.format("POST", sender.path, sender.headers, body())
end
