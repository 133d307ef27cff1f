-- Lets nothing be done here unless the reign is in power.

-- include reign/power.lua

local refused = refusal(redis.call('MGET', KEYS[#KEYS])[1])
if refused then
    return refused
end
