-- Shows one lock at this instant and changes nothing: its value, the time left in ms, the clock in us, and the owners of the
-- waiters that are alive, in the order of the queue.

-- include term/guard.lua
-- include queue.lua

local lock = redis.call('GET', KEYS[1]) or ''
local left = redis.call('PTTL', KEYS[1])
local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
local now = math.floor(us / 1000)
local shown = { lock, left, string.format('%.0f', us) }
for from = 0, redis.call('ZCARD', KEYS[5]) - 1, 1000 do
    local ids = redis.call('ZRANGE', KEYS[5], from, from + 999)
    local owners = redis.call('HMGET', KEYS[7], unpack(ids))
    for at, last in ipairs(redis.call('ZMSCORE', KEYS[6], unpack(ids))) do
        if is_alive(tonumber(last), now) then
            shown[#shown + 1] = string.match(owners[at] or '', '^%S* (.*)$') or ''
        end
    end
end
return shown
