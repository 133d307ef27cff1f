-- Activates a primary term: writes its record, which does not expire.
--
-- Promises: nothing is written once a term of this epoch or a later one was activated.
local term_key, base = KEYS[1], ARGV[1]

-- include primary.lua

local activated = string.match(redis.call('MGET', term_key)[1] or '', '^(%d+) %d+ %d+$')
if activated and tonumber(activated) >= tonumber(epoch) then
    return 'stale-term a primary term of epoch ' .. activated .. ' was activated'
end

redis.call('SET', term_key, epoch .. ' ' .. base .. ' ' .. base)
return 'activated'
