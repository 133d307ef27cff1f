-- Refuses everything unless the primary term is active.

-- include term/active.lua

local refused = refusal(redis.call('MGET', KEYS[#KEYS])[1])
if refused then
    return refused
end
