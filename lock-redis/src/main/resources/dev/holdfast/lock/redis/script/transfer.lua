-- Writes leases under a primary term that is active and receives no commands yet. Each lease has one key and four arguments, in
-- the order of the keys: "<state> <id> <token>", its age in us, the time left in ms, and its owner.
--
-- Promises:
--   A lease that an earlier call wrote stays: it lasts long enough.
--   Nothing is written without the term's record, so that a loss of data that takes a lease takes the record too.

-- include term_guard.lua

local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
for at = 1, #KEYS - 1 do
    local from = 4 * at - 3
    local lock_key, grant, age, left, owner = KEYS[at], ARGV[from], ARGV[from + 1], ARGV[from + 2], ARGV[from + 3]
    local since = string.format('%.0f', math.max(0, us - age))
    redis.call('SET', lock_key, grant .. ' ' .. since .. ' ' .. owner, 'PX', left, 'NX')
end
return 'transferred'
