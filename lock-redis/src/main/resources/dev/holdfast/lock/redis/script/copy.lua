-- Writes grants under a reign that was installed and that nobody asks yet. For each there is a key, and in its turn: "<state> <id> <token>", its age
-- in us, what is left of it in ms, its owner.
--
-- Promises: what was written before stays, as it lasts long enough; nothing is written without the reign's mark, so that whatever
-- forgets a copy forgets the mark.

-- include reign/guard.lua

local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
for at = 1, #KEYS - 1 do
    local from = 4 * at - 3
    local since = string.format('%.0f', math.max(0, us - ARGV[from + 1]))
    redis.call('SET', KEYS[at], ARGV[from] .. ' ' .. since .. ' ' .. ARGV[from + 3], 'PX', ARGV[from + 2], 'NX')
end
return { 'copied' }
