-- Sign-ins, each of another person from another address, as a crowd in the morning or an attack.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "result.lua")
local people = tonumber(os.getenv("PEOPLE"))
local password = os.getenv("PASSWORD")
local count = 0
function request()
    count = count + 1
    return wrk.format("POST", "/v1/auth/login", {
        ["Content-Type"] = "application/json",
        ["X-Forwarded-For"] = string.format("10.%d.%d.%d", count / 65536 % 256, count / 256 % 256, count % 256),
    }, '{"email":"crowd-' .. count % people .. '@bench.example","password":"' .. password .. '"}')
end
