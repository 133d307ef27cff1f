-- Ends the share of this id, or withdraws its place in the queue. The arguments are those of release.lua.
--
-- Promises: those of release.lua, and:
--   With a minimum hold the share stays out until that long after the grant, without a holder.
--   Each waiter that becomes due is notified.
--   Once the last share has ended nothing of it is left.

-- include share_keys.lua

local id, minimum_hold, tombstone_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

-- standalone only:
local values = redis.call('MGET', lock_key, reservation_key)
-- end only
-- term only:
local values = redis.call('MGET', lock_key, reservation_key, term_key)
local recorded = string.match(values[3] or '', '^(%d+) %d+ %d+$')

-- include term.lua
-- end only

local lock, reservation = values[1], values[2]
local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
local now = math.floor(us / 1000)

-- include shares.lua

redis.call('ZREM', ends_key, '') -- first: it needs no memory, of which none may be left
local share, kept, since = nil, false, now
if out > 0 then
    since = end_expired(now) or now
end
if out > 0 then
    share = redis.call('HGET', shares_key, id)
elseif reservation and not lock then
    since = math.min(tonumber(reservation), now)
end
local held = share and string.sub(share, 1, 2) == 'h '

local function end_own_share()
    -- In ms. The minimum bounds it if the clock was set back.
    local kept_until = math.ceil((math.min(us, string.match(share, '^h %d+ %d+ %d+ (%d+) ')) + minimum_hold) / 1000)
    if minimum_hold > 0 and kept_until > now then
        kept = true
        redis.call('HSET', shares_key, id, 'k' .. string.sub(share, 2))
        redis.call('ZADD', ends_key, whole(kept_until), id)
    else
        redis.call('ZREM', ends_key, id)
        redis.call('HDEL', shares_key, id)
        subtract_share(share)
    end
    store_shares()
end

if not reservation then
    if held then
        end_own_share()
    else
        redis.call('ZREM', queue_key, id)
    end
else

-- include queue.lua

    local dropped_before = false
    if held then
        if since < now then -- others have ended: the waiters for which there was room since then are due as long
            local _, _, dropped = first_due(now, since, lock, RELEASE)
            dropped_before = dropped
        end
        end_own_share()
        since = now
    end
    local head, since_head, changed = first_due(now, since, lock, RELEASE)
    if not held and redis.call('ZRANK', queue_key, id) then
        drop(id)
        local next_head, since_next = first_due(now, now, lock, RELEASE)
        if next_head ~= head then
            head, since_head, changed = next_head, since_next, true
        end
    end
    if head then
        local until_ms = lock and (out > 0 and end_of_share() or tonumber(reservation))
        store_reservation(until_ms or since_head)
        if changed or dropped_before or kept or (held and not lock) then
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
