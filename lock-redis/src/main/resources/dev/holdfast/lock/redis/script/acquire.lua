-- Grants the lock if it is free and nobody else's turn; otherwise takes or keeps a place in the queue, if one is wanted.
--
-- Promises: one holder at a time; the holder is answered the same token and what remains; an id that is over is never granted;
-- a token greater than every earlier one of the bucket;
-- what somebody else wrote under the lock's key stays as it is, and the lock is granted to nobody;
-- nothing is written before it is certain what to answer. A replica, which may know less than its master, answers nothing:
-- where there is nothing to write, something is removed that is not there. Without a queue 4 calls.
local id, length, wants_place, above, owner = ARGV[1], tonumber(ARGV[2]), ARGV[3] == '1', tonumber(ARGV[4]), ARGV[5]
local channel, channels, name = ARGV[6], ARGV[7], ARGV[8]
local LAST_TOKEN = 9007199254740991
local FOREIGN = 'WRONGTYPE the key of this lock holds what is no lock'

local values = redis.call('MGET', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[8])
local lock, turn, gone, counter, mark = values[1], values[2], values[3], values[4], values[5]

-- include alone/tokens.lua
-- include reign/tokens.lua

if lock or gone or turn then
    redis.call('ZREM', KEYS[5], '')
end
if lock then
    local state, holder, its_token = string.match(lock, '^(%a) (%x+) (%d+) ')
    if not state then
        return redis.error_reply(FOREIGN)
    elseif holder == id and state == 'h' then
        local left = redis.call('PTTL', KEYS[1])
        return { 'granted', its_token, left < 0 and length or left } -- somebody may have taken its end away by hand
    elseif holder == id then
        return { 'gone' }
    end
end
if gone then
    return { 'gone' }
end

local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]

local end_of_tokens = not lock and exhausted()
if end_of_tokens then
    return end_of_tokens
end

local function grant()
    local next = next_token(us)
    local held = 'h ' .. id .. ' ' .. next .. ' ' .. string.format('%.0f', us) .. ' ' .. owner
    if not redis.call('SET', KEYS[1], held, 'PX', ARGV[2], 'NX') then -- what is no text was not seen so far
        return redis.error_reply(FOREIGN)
    end
    keep_token(next)
    return { 'granted', next, length }
end

if not lock and not turn then
    return grant()
end

-- include queue.lua

local now = math.floor(us / 1000)
local since = now
local head = nil
local dropped = false
if turn then
    since = math.min(tonumber(turn), now)
    head, since, dropped = first_living(now, since)
    if not lock and head and head ~= id and now >= since + RESERVATION then
        drop(head)
        dropped = true
        since = now
        head, since = first_living(now, since)
    end
end

if not lock and (not head or head == id) then
    local answer = grant()
    if not answer.err then
        drop(id)
        if first() then
            keep_queue(now + length)
        else
            redis.call('DEL', KEYS[2])
        end
    end
    return answer
end

local left = since - now
if lock then
    left = redis.call('PTTL', KEYS[1])
    left = left < 0 and TICKET or left
end
local before = 0
if wants_place then
    if not lives(seen(id), now) or not redis.call('ZRANK', KEYS[5], id) then
        drop(id)
        local place = redis.call('ZRANGE', KEYS[5], -1, -1, 'WITHSCORES')[2]
        redis.call('ZADD', KEYS[5], (tonumber(place) or 0) + 1, id)
    end
    drop_dead(now)
    redis.call('ZADD', KEYS[6], now, id)
    redis.call('HSET', KEYS[7], id, channel .. ' ' .. owner)
    before = living_before(id, now)
    head = head or id
end
if head then
    if wants_place or dropped or (not lock and since ~= tonumber(turn)) then
        keep_queue(lock and now + left or since)
    end
    if dropped and head ~= id then
        tell(head, channels, name)
    end
elseif turn then
    redis.call('DEL', KEYS[2])
end
return { wants_place and 'waiting' or 'busy', left, before }
