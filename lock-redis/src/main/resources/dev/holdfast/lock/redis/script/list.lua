-- Shows one lock at this instant and changes nothing: its value, the time left in ms, and the clock in us; the number of shares that
-- are out, and of each its id, its end in ms and its text; then of each waiter that is alive, in the order of the queue, the permits
-- and the limit, and the owner.

-- include share_keys.lua
-- term only:
local recorded = string.match(redis.call('MGET', term_key)[1] or '', '^(%d+) %d+ %d+$')

-- include term.lua
-- end only
-- include queue.lua

local lock = redis.call('GET', lock_key) or ''
local left = redis.call('PTTL', lock_key)
local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
local now = math.floor(us / 1000)
local shown = { lock, left, string.format('%.0f', us), 0 }
if string.find(lock, '^s ') then
    local ends = redis.call('ZRANGEBYSCORE', ends_key, '(' .. string.format('%.0f', now), '+inf', 'WITHSCORES')
    for at = 1, #ends, 2 do
        local share = redis.call('HGET', shares_key, ends[at])
        if share then
            shown[4] = shown[4] + 1
            shown[#shown + 1] = ends[at]
            shown[#shown + 1] = ends[at + 1]
            shown[#shown + 1] = share
        end
    end
end
for from = 0, redis.call('ZCARD', queue_key) - 1, 1000 do
    local ids = redis.call('ZRANGE', queue_key, from, from + 999)
    local owners = redis.call('HMGET', owners_key, unpack(ids))
    for at, last in ipairs(redis.call('ZMSCORE', seen_key, unpack(ids))) do
        local permits, limit, asked = share_of(owners[at])
        if is_alive(tonumber(last), now) or is_alive(asked, now) then -- the latter may yet claim what is reserved for it
            shown[#shown + 1] = string.format('%.0f %.0f', permits, limit)
            shown[#shown + 1] = string.match(owners[at] or '', '^%S*\t%d+ %d+ %d+ (.*)$')
                or string.match(owners[at] or '', '^%S* (.*)$') or ''
        end
    end
end
return shown
