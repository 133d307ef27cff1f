-- Lets the lease last this long from now, and never less than it would have lasted anyway.
--
-- Promises: only for the id that holds the lock, and only while it does. At most 3 calls, and 2 more where somebody waits, who has to
-- know when the lock will be free. A replica, which may know less than its master, answers nothing: where there is nothing to
-- write, something is removed that is not there. The keys are the lock's, its turn's, its queue's
-- and the mark.

-- include reign/guard.lua

local values = redis.call('MGET', KEYS[1], KEYS[2])
local state, holder, token = string.match(values[1] or '', '^(%a) (%x+) (%d+) ')
if state ~= 'h' or holder ~= ARGV[1] then
    redis.call('ZREM', KEYS[3], '')
    return { 'gone' }
end
local length = tonumber(ARGV[2])
local left = math.max(length, redis.call('PTTL', KEYS[1]))
redis.call('PEXPIRE', KEYS[1], string.format('%.0f', left))
if values[2] then
    local time = redis.call('TIME')
    redis.call('SET', KEYS[2], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + left), 'KEEPTTL')
end
return { 'granted', token, left }
