-- Shows one lock at this instant and changes nothing: its value, the time left in ms, the clock in us, and the owners of the
-- waiters that are alive, in the order of the queue.

-- include keys.lua
-- term only:
-- include term_guard.lua
-- end only
-- include queue.lua

local lock = redis.call('GET', lock_key) or ''
local left = redis.call('PTTL', lock_key)
local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
local now = math.floor(us / 1000)
local shown = { lock, left, string.format('%.0f', us) }
for from = 0, redis.call('ZCARD', queue_key) - 1, 1000 do
    local ids = redis.call('ZRANGE', queue_key, from, from + 999)
    local owners = redis.call('HMGET', owners_key, unpack(ids))
    for at, last in ipairs(redis.call('ZMSCORE', seen_key, unpack(ids))) do
        if is_alive(tonumber(last), now) then
            shown[#shown + 1] = string.match(owners[at] or '', '^%S* (.*)$') or ''
        end
    end
end
return shown
