-- 500 events per request.
dofile(debug.getinfo(1, "S").source:match("^@(.*/)") .. "events.lua")
local parts = {}
function body()
    for index = 1, 500 do parts[index] = event() end
    return '{"events":[' .. table.concat(parts, ",") .. "]}"
end
