-- Refuses everything unless the primary term can still be activated.

-- include term/replication.lua

local refused = not_the_primary()
if refused then
    return refused
end
local activated = epoch_of(redis.call('MGET', KEYS[#KEYS])[1])
if activated and tonumber(activated) >= tonumber(epoch) then
    return stale('a primary term of epoch ' .. activated .. ' was activated')
end
