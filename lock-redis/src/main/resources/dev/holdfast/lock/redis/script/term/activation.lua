-- Refuses everything unless the primary term can still be activated.

-- include term/replication.lua
-- include term/evidence.lua

if not is_the_primary then
    return not_the_primary()
end
local activated = string.match(redis.call('MGET', KEYS[#KEYS])[1] or '', '^(%d+) %d+ %d+$')
if activated and tonumber(activated) >= tonumber(epoch) then
    return stale('a primary term of epoch ' .. activated .. ' was activated')
end
