-- Grants a share if it fits beside those that are out and those of all waiters before it; otherwise takes or keeps a place in the
-- queue, if one is wanted. The arguments are those of acquire.lua, and the permits and the limit.
--
-- Promises: those of acquire.lua, and:
--   The permits that are out are never more than the least of their limits.
--   A share is granted past waiters that are due and do not ask, if it fits beside theirs.
-- A share beside others, without a queue, costs 12 commands, however many are out.

-- include share_keys.lua

local id, length, wants_place, token_floor, owner, channel = ARGV[1], ARGV[2], ARGV[3] == '1', ARGV[4], ARGV[5], ARGV[6]
local permits, limit = tonumber(ARGV[7]), tonumber(ARGV[8])
local LAST_TOKEN = 9007199254740991
local FOREIGN = 'WRONGTYPE the key of this lock holds a foreign value'

local values = redis.call('MGET', lock_key, reservation_key, tombstone_key, token_key, term_key)
local lock, reservation, tombstone, counter, term = values[1], values[2], values[3], values[4], values[5]

-- standalone only:
if term then
    return 'composite'
end
-- end only
-- term only:
local recorded, base
recorded, base, counter = string.match(term or '', '^(%d+) (%d+) (%d+)$')

-- include term.lua
-- end only

if lock or tombstone or reservation then
    redis.call('ZREM', queue_key, '')
end
local state = lock and string.match(lock, '^(%a) %x+ %d+ ')
if lock and not state then
    return redis.error_reply(FOREIGN)
end

local time = redis.call('TIME')
local us = time[1] .. string.sub('00000' .. time[2], -6)
local now, now_up = math.floor(us / 1000), math.ceil(us / 1000) -- in ms; a share ends by the latter, never too soon

-- include shares.lua

local expired = nil
if state == 's' then
    local share = redis.call('HGET', shares_key, id)
    if share then
        local token = string.match(share, '^h (%d+) ')
        local left = (tonumber(redis.call('ZSCORE', ends_key, id)) or 0) - now_up
        return token and left > 0 and 'granted ' .. token .. ' ' .. whole(left) or 'gone'
    end
end
if tombstone then
    return 'gone'
end
if state == 's' then
    expired = end_expired(now)
end

local is_exclusive = lock and state ~= 's'
local fits = not is_exclusive and out + permits <= math.min(least, limit)
local token, new_counter = nil, nil
if fits then
-- include next_token.lua
end

local leave_queue = nil
if reservation or not fits then
-- include queue.lua

    -- Whether this waiter will be due as soon as what is out has ended: no waiter before it is in its way.
    local function is_compatible_with_waiters()
        local before, least_before = 0, math.huge
        for from = 0, 96, 32 do
            local ids = redis.call('ZRANGE', queue_key, from, from + 31)
            if #ids == 0 then
                break
            end
            local texts = redis.call('HMGET', owners_key, unpack(ids))
            local times = redis.call('ZMSCORE', seen_key, unpack(ids))
            for at, other in ipairs(ids) do
                if is_alive(tonumber(times[at]), now) then
                    local its_permits, its_limit = share_of(texts[at])
                    before, least_before = before + its_permits, math.min(least_before, its_limit)
                end
                if before > least_before or other == id then
                    return before <= least_before
                end
            end
        end
        return true -- behind so many that fit together
    end

    local since = expired or now
    if not lock and reservation then
        since = math.min(tonumber(reservation), now)
    end
    local seen_last = reservation and seen(id)
    local head = nil
    local dropped = false
    -- Without a look at the others, if none of them has died or missed its claim window.
    local is_granted_at_once = fits and not expired and is_alive(seen_last, now) and is_due(seen_last)
        and #redis.call('ZRANGEBYSCORE', seen_key, '-inf', whole(now - WAITER_TTL), 'LIMIT', 0, 1) == 0
    if reservation and not is_granted_at_once then
        head, since, dropped, fits = first_due(now, since, lock, id, permits, limit)
        if not lock and not fits and head and head ~= id and now >= since + CLAIM_WINDOW then
            drop(head)
            dropped = true
            local any
            head, since, any, fits = first_due(now, now, lock, id, permits, limit)
        end
    end

    if not fits then
        local left, free_at = since - now, nil
        if is_exclusive then
            left = redis.call('PTTL', lock_key)
            left = left < 0 and WAITER_TTL or left
            free_at = now + left
        elseif lock then
            left = end_of_share(0) - now_up -- some waiters may be due then
        end
        local ahead = 0
        if wants_place then
            if not is_alive(seen(id), now) or not redis.call('ZRANK', queue_key, id) then
                drop(id)
                local last_place = redis.call('ZRANGE', queue_key, -1, -1, 'WITHSCORES')[2]
                redis.call('ZADD', queue_key, (tonumber(last_place) or 0) + 1, id)
            end
            drop_dead(now)
            redis.call('ZADD', seen_key, string.format('%.1f', now - 0.5), id)
            redis.call('HSET', owners_key, id,
                table.concat({ channel .. '\t' .. ARGV[7], ARGV[8], whole(now), owner }, ' '))
            ahead = alive_ahead_of(id, now)
            if ahead > 0 and is_compatible_with_waiters() then -- it may be due as soon as the first one is
                left, ahead = math.min(left, CLAIM_WINDOW), 0
            end
            head = head or id
        end
        if head then
            if wants_place or dropped or (not lock and since ~= tonumber(reservation)) then
                store_reservation(is_exclusive and free_at or lock and end_of_share() or since)
            end
            if dropped and head ~= id then
                notify(head)
            end
        elseif reservation then
            redis.call('DEL', reservation_key)
        end
        return (wants_place and 'queued ' or 'busy ') .. whole(left) .. ' ' .. ahead
    end

    leave_queue = function()
        drop(id)
        if first() then
            store_reservation(end_of_share())
        else
            redis.call('DEL', reservation_key)
        end
    end
end

if not lock then
    -- MGET shows a value of another type as missing
    if not redis.call('SET', lock_key, 's 0 0 0 ', 'PX', length, 'NX') then
        return redis.error_reply(FOREIGN)
    end
    redis.call('DEL', ends_key, shares_key) -- of shares that have all ended
end
redis.call('SET', token_key, new_counter)
redis.call('ZADD', ends_key, whole(now_up + length), id)
redis.call('HSET', shares_key, id, table.concat({ 'h', token, ARGV[7], ARGV[8], us, owner }, ' '))
add_share(permits, limit)
store_shares()
if leave_queue then
    leave_queue()
end
return 'granted ' .. token .. ' ' .. length
