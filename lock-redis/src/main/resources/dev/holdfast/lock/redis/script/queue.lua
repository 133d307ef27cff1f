-- The queue of the lock of keys.lua. A script includes it where it first needs it, so that the path before it costs less.
--
-- Promises: a waiter that has not asked for WAITER_TTL is dropped before the queue decides anything. Dropping costs the other
-- waiters nothing: the claim window of the next one begins then.
local WAITER_TTL = 15000
local CLAIM_WINDOW = 2000
local QUEUE_TTL = WAITER_TTL + 1000 -- when a queue without requests expires

-- A time in the future was written before the clock was set back.
local function is_alive(seen, now)
    return seen and seen <= now and now < seen + WAITER_TTL
end

local function first()
    return redis.call('ZRANGE', queue_key, 0, 0)[1]
end

local function seen(id)
    return tonumber(redis.call('ZSCORE', seen_key, id))
end

local function drop(...)
    redis.call('ZREM', queue_key, ...)
    redis.call('ZREM', seen_key, ...)
    redis.call('HDEL', owners_key, ...)
end

-- Drops dead waiters from the front. Returns the first waiter left (nil for none), the start of its reservation of a lock that
-- is free since `since`, and whether a waiter was dropped. A waiter that was dead before the lock became free was never the
-- first of a free lock. Many may have died at the same time: they are read and dropped in hundreds.
local function first_alive(now, since)
    local head = first()
    if not head or is_alive(seen(head), now) then
        return head, since, false
    end
    while true do
        local ids = redis.call('ZRANGE', queue_key, 0, 99)
        if #ids == 0 then
            return nil, since, true
        end
        local alive = nil
        local dead = {}
        for at, text in ipairs(redis.call('ZMSCORE', seen_key, unpack(ids))) do
            local last = tonumber(text)
            if is_alive(last, now) then
                alive = ids[at]
                break
            end
            if last and last + WAITER_TTL > since then
                since = now
            end
            dead[at] = ids[at]
        end
        if #dead > 0 then
            drop(unpack(dead))
        end
        if alive then
            return alive, since, true
        end
    end
end

-- Drops some of the dead wherever they are in the queue.
local function drop_dead(now)
    local dead = redis.call('ZRANGEBYSCORE', seen_key, '-inf', string.format('%.0f', now - WAITER_TTL), 'LIMIT', 0, 100)
    if #dead > 0 then
        drop(unpack(dead))
    end
end

-- The number of living waiters ahead of this one. 4 stands for more, or for a queue too long to count in.
local function alive_ahead_of(id, now)
    local place = redis.call('ZRANK', queue_key, id) or 0
    local alive = 0
    if place > 128 then
        local dead = '(' .. string.format('%.0f', now - WAITER_TTL)
        local ids = redis.call('ZRANGEBYSCORE', seen_key, dead, string.format('%.0f', now), 'LIMIT', 0, 5)
        if #ids == 5 then
            return 4
        end
        for _, other in ipairs(ids) do
            if (redis.call('ZRANK', queue_key, other) or place) < place then
                alive = alive + 1
            end
        end
        return alive
    end
    for from = 0, place - 1, 16 do
        local ids = redis.call('ZRANGE', queue_key, from, math.min(from + 15, place - 1))
        for _, last in ipairs(redis.call('ZMSCORE', seen_key, unpack(ids))) do
            if is_alive(tonumber(last), now) then
                alive = alive + 1
                if alive == 4 then
                    return 4
                end
            end
        end
    end
    return alive
end

-- Stores the start of the reservation, and keeps the queue for as long as a waiter in it may live.
local function store_reservation(since)
    redis.call('SET', reservation_key, string.format('%.0f', since), 'PX', QUEUE_TTL)
    redis.call('PEXPIRE', queue_key, QUEUE_TTL)
    redis.call('PEXPIRE', seen_key, QUEUE_TTL)
    redis.call('PEXPIRE', owners_key, QUEUE_TTL)
end

-- Notifies a waiter through the channel of its store, which begins with the namespace. It is a hint only: its failure fails
-- nothing else. What it needs beside the owner is a part of the lock's key: each further argument costs every uncontended call.
local function notify(id)
    local channel = string.match(redis.call('HGET', owners_key, id) or '', '^%S+')
    if channel then
        local namespace, name = string.match(lock_key, '^holdfast:{([^:]+):%d+}:%d*:?lock:(.*)$')
        if namespace then
            redis.pcall('PUBLISH', 'holdfast:' .. namespace .. ':' .. channel, id .. ' ' .. name)
        end
    end
end
