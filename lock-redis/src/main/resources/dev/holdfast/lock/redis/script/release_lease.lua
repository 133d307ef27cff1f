-- The work of release.lua, for the scripts that include it with the keys of keys.lua and these locals: `id`; `minimum_hold` in us; `tombstone_ms`;
-- `next_id`, which acquires the lock right after and needs no notification (nil for none); and `values`, of the lock and its
-- reservation.

local lock, reservation = values[1], values[2]
local held = lock and string.find(lock, 'h ' .. id .. ' ', 1, true) == 1
local us, kept = 0, 0
if reservation or (held and minimum_hold > 0) then
    local time = redis.call('TIME')
    us = time[1] * 1000000 + time[2]
end

if held and minimum_hold > 0 then
    local since_us = string.match(lock, '^h %x+ %d+ (%d+) ')
    -- In ms. The minimum bounds it if the clock was set back.
    kept = math.max(0, math.ceil(math.min(minimum_hold, since_us + minimum_hold - us) / 1000))
end
if kept > 0 then
    redis.call('PEXPIRE', lock_key, string.format('%.0f', kept)) -- first: it needs no memory, of which none may be left
    redis.call('SET', lock_key, 'k' .. string.sub(lock, 2), 'PX', string.format('%.0f', kept))
elseif held then
    redis.call('DEL', lock_key)
elseif not reservation then
    redis.call('ZREM', queue_key, id)
end

if reservation then

-- include queue.lua

    local now = math.floor(us / 1000)
    local free = not lock or (held and kept == 0)
    local since = tonumber(reservation)
    if held then
        since = now + kept
    elseif free then
        since = math.min(since, now)
    end
    local head, since_head, changed = first_alive(now, since, not free and lock, RELEASE)
    if not held and head == id then
        drop(id)
        changed = true
        head, since_head = first_alive(now, now, lock, RELEASE)
    elseif not held then
        drop(id)
        first_alive(now, now, lock, RELEASE) -- shares behind it may be due
    end
    if head then
        store_reservation(free and since_head or since)
        if (held or changed) and head ~= next_id then
            notify(head)
        end
    else
        redis.call('DEL', reservation_key)
    end
end

if tombstone_ms > 0 and tombstone_ms > redis.call('PTTL', tombstone_key) then
    redis.call('SET', tombstone_key, '', 'PX', string.format('%.0f', tombstone_ms))
end
return held and 'released' or 'absent'
