-- The shares that are out, for the scripts that include it with the keys of share_keys.lua and `lock`, the value of the lock. What is
-- out counts without a look at each share.
--
-- Promise: a share ends by its own time, however long others last.
local out, least, count, queue_changed = string.match(lock or '', '^s (%d+) (%d+) (%d+) (%d*)')
out, least, count = tonumber(out or 0), tonumber(least or math.huge), tonumber(count or 0)

local function whole(number)
    return string.format('%.0f', number)
end

local function add_share(permits, limit)
    out = out + permits
    if limit == least then
        count = count + 1
    elseif limit < least then
        least, count = limit, 1
    end
end

-- Counts a share no more, by its text in `shares`.
local function subtract_share(share)
    local permits, limit = string.match(share or '', '^%a %d+ (%d+) (%d+) ')
    if permits then
        out = out - permits
        if tonumber(limit) == least then
            count = count - 1
        end
    end
end

-- When the last share ends, or the one at this place of `ends`.
local function end_of_share(place)
    return tonumber(redis.call('ZRANGE', ends_key, place or -1, place or -1, 'WITHSCORES')[2])
end

-- What the lock counts is there for as long as the lock is, and longer: a server may remove a key whose time comes while a script runs.
local function expire_shares(last)
    redis.call('PEXPIREAT', ends_key, whole(last + 1000))
    redis.call('PEXPIREAT', shares_key, whole(last + 1000))
end

-- Stores what is out. Once all that had the least limit have ended, the next one is searched for.
local function store_shares()
    if out <= 0 then
        redis.call('DEL', lock_key, ends_key, shares_key)
        lock, out, least, count = false, 0, math.huge, 0
        return
    end
    if count == 0 then
        out, least = 0, math.huge
        for from = 0, redis.call('ZCARD', ends_key) - 1, 100 do
            local ids = redis.call('ZRANGE', ends_key, from, from + 99)
            for _, share in ipairs(redis.call('HMGET', shares_key, unpack(ids))) do
                local permits, limit = string.match(share or '', '^%a %d+ (%d+) (%d+) ')
                if permits then
                    add_share(permits, tonumber(limit))
                end
            end
        end
    end
    local last = end_of_share()
    lock = 's ' .. whole(out) .. ' ' .. whole(least) .. ' ' .. whole(count) .. ' '
    expire_shares(last)
    redis.call('SET', lock_key, lock, 'PXAT', whole(last))
end

-- Ends the shares whose time is over. Returns since when the waiters for which there is room now may be due: when the last of them
-- ended, or when an exclusive request changed the queue after that; nil if none has ended.
local function end_expired(now)
    local last = nil
    repeat
        local ended = redis.call('ZRANGEBYSCORE', ends_key, '-inf', whole(now), 'WITHSCORES', 'LIMIT', 0, 100)
        local ids = {}
        for at = 1, #ended, 2 do
            ids[#ids + 1] = ended[at]
            last = tonumber(ended[at + 1])
        end
        if #ids > 0 then
            for _, share in ipairs(redis.call('HMGET', shares_key, unpack(ids))) do
                subtract_share(share)
            end
            redis.call('ZREM', ends_key, unpack(ids))
            redis.call('HDEL', shares_key, unpack(ids))
        end
    until #ids < 100
    if last then
        store_shares()
    end
    return last and math.max(last, tonumber(queue_changed) or last)
end
