-- Grants the lock if it is free and not reserved for another waiter; otherwise takes or keeps a place in the queue, if one is
-- wanted.
--
-- Promises:
--   A lock has one holder at a time. The holder's own request is answered with its token and the time that is left.
--   An id with a tombstone is never granted.
--   A token is greater than every earlier token of the shard.
--   A foreign value under the lock's key stays as it is, and its lock is not granted.
--   Nothing is written before the answer is certain.
--   A replica, which may know less than its master, does not answer: where there is nothing to write, the script removes a
--   member that does not exist, which a replica refuses.
-- Without a queue it costs 4 commands, and makes no table and no function: a reply of one string is sent at once, while a table
-- has the server allocate a buffer.

-- include keys.lua

local id, length, wants_place, token_floor, owner, channel = ARGV[1], ARGV[2], ARGV[3] == '1', ARGV[4], ARGV[5], ARGV[6]
local values = redis.call('MGET', lock_key, reservation_key, tombstone_key, token_key, term_key)
local lock, reservation, tombstone, counter, term = values[1], values[2], values[3], values[4], values[5]

-- term only:
-- Tokens of a primary term are counted from its base, by no clock; the counter is a part of the record: once lost, it is not
-- recreated.
local recorded, base
recorded, base, counter = string.match(term or '', '^(%d+) (%d+) (%d+)$')

-- include term.lua
-- end only

local LAST_TOKEN = 9007199254740991
local FOREIGN = 'WRONGTYPE the key of this lock holds a foreign value'

-- standalone only:
-- Where a composite has left the record of a primary term, a standalone store grants nothing.
if term then
    return 'composite'
end
-- end only

if lock or tombstone or reservation then
    redis.call('ZREM', queue_key, '')
end
if lock then
    local state, holder, token = string.match(lock, '^(%a) (%x+) (%d+) ')
    if not state then
        return redis.error_reply(FOREIGN)
    elseif holder == id and state == 'h' then
        local left = redis.call('PTTL', lock_key)
        return 'granted ' .. token .. ' ' .. (left < 0 and length or left) -- less than 0: the expiry was removed by hand
    elseif holder == id then
        return 'gone'
    end
end
if tombstone then
    return 'gone'
end

local time = redis.call('TIME')
local us = time[1] .. string.sub('00000' .. time[2], -6) -- digits: as a number, it would be printed for each grant

local token, new_counter = nil, nil
if not lock then
-- include next_token.lua
end

local leave_queue = nil
if lock or reservation then
-- include queue.lua

    local now = math.floor(us / 1000)
    local since = now
    local head = nil
    local dropped = false
    if reservation then
        since = math.min(tonumber(reservation), now)
        head, since, dropped = first_alive(now, since, lock)
        if not lock and head and head ~= id and now >= since + CLAIM_WINDOW then
            drop(head)
            dropped = true
            since = now
            head, since = first_alive(now, since)
        end
    end

    if lock or (head and head ~= id) then
        local left = since - now
        if lock then
            left = redis.call('PTTL', lock_key)
            left = left < 0 and WAITER_TTL or left
        end
        local ahead = 0
        if wants_place then
            if not is_alive(seen(id), now) or not redis.call('ZRANK', queue_key, id) then
                drop(id)
                local last_place = redis.call('ZRANGE', queue_key, -1, -1, 'WITHSCORES')[2]
                redis.call('ZADD', queue_key, (tonumber(last_place) or 0) + 1, id)
            end
            drop_dead(now)
            redis.call('ZADD', seen_key, now, id)
            redis.call('HSET', owners_key, id, channel .. ' ' .. owner)
            ahead = alive_ahead_of(id, now)
            head = head or id
        end
        if head then
            if wants_place or dropped or (not lock and since ~= tonumber(reservation)) then
                store_reservation(lock and now + left or since)
            end
            if dropped and head ~= id then
                notify(head)
            end
        elseif reservation then
            redis.call('DEL', reservation_key)
        end
        return (wants_place and 'queued ' or 'busy ') .. string.format('%.0f', left) .. ' ' .. ahead
    end

    leave_queue = function()
        drop(id)
        if first() then
            store_reservation(now + length)
        else
            redis.call('DEL', reservation_key)
        end
    end
end

local value = 'h ' .. id .. ' ' .. token .. ' ' .. us .. ' ' .. owner
if not redis.call('SET', lock_key, value, 'PX', length, 'NX') then -- MGET shows a value of another type as missing
    return redis.error_reply(FOREIGN)
end
redis.call('SET', token_key, new_counter)
if leave_queue then
    leave_queue()
end
return 'granted ' .. token .. ' ' .. length
