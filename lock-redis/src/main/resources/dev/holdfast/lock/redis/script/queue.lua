-- The queue of one lock. A script includes it where it first needs it, so that the way before costs less. The keys are
--   1 lock         "<state> <id> <token> <since, us> <owner>"; state: h held, k kept by a minimum hold; expires with the lease
--   2 reservation  while there are waiters: since when the free lock is reserved for the first, or when its lease ends, in ms
--   3 tombstone    exists while this id must not be granted
--   4 token        the last token of this shard; does not expire. Under a primary term it is a part of the term's record
--   5 queue        the waiters, by place
--   6 seen         the waiters, by the time of their last request, in ms
--   7 owners       of each waiter "<channel> <owner>"
--   8 term         the record of a composite's primary term; does not expire
-- Each is named where it is used: some servers check that.
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
    return redis.call('ZRANGE', KEYS[5], 0, 0)[1]
end

local function seen(id)
    return tonumber(redis.call('ZSCORE', KEYS[6], id))
end

local function drop(...)
    redis.call('ZREM', KEYS[5], ...)
    redis.call('ZREM', KEYS[6], ...)
    redis.call('HDEL', KEYS[7], ...)
end

-- Drops the dead from the front. Returns the first waiter then (nil for none), since when a lock that is free since `since` is
-- reserved for it, and whether a waiter was dropped. A waiter that was dead before the lock became free was never the first of
-- a free lock. Many may have died at the same time: they are read and dropped in hundreds.
local function first_alive(now, since)
    local head = first()
    if not head or is_alive(seen(head), now) then
        return head, since, false
    end
    while true do
        local ids = redis.call('ZRANGE', KEYS[5], 0, 99)
        if #ids == 0 then
            return nil, since, true
        end
        local alive = nil
        local dead = {}
        for at, text in ipairs(redis.call('ZMSCORE', KEYS[6], unpack(ids))) do
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
    local dead = redis.call('ZRANGEBYSCORE', KEYS[6], '-inf', string.format('%.0f', now - WAITER_TTL), 'LIMIT', 0, 100)
    if #dead > 0 then
        drop(unpack(dead))
    end
end

-- How many waiters that are alive are ahead of this one. 4 stands for more, or for a queue too long to count in.
local function alive_ahead_of(id, now)
    local place = redis.call('ZRANK', KEYS[5], id) or 0
    local alive = 0
    if place > 128 then
        local dead = '(' .. string.format('%.0f', now - WAITER_TTL)
        local ids = redis.call('ZRANGEBYSCORE', KEYS[6], dead, string.format('%.0f', now), 'LIMIT', 0, 5)
        if #ids == 5 then
            return 4
        end
        for _, other in ipairs(ids) do
            if (redis.call('ZRANK', KEYS[5], other) or place) < place then
                alive = alive + 1
            end
        end
        return alive
    end
    for from = 0, place - 1, 16 do
        local ids = redis.call('ZRANGE', KEYS[5], from, math.min(from + 15, place - 1))
        for _, last in ipairs(redis.call('ZMSCORE', KEYS[6], unpack(ids))) do
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

-- Stores since when the lock is reserved, and lets the queue last as long as a waiter in it may live.
local function store_reservation(since)
    redis.call('SET', KEYS[2], string.format('%.0f', since), 'PX', QUEUE_TTL)
    redis.call('PEXPIRE', KEYS[5], QUEUE_TTL)
    redis.call('PEXPIRE', KEYS[6], QUEUE_TTL)
    redis.call('PEXPIRE', KEYS[7], QUEUE_TTL)
end

-- Notifies a waiter through the channel of its store, which begins with the namespace. It is a hint only: its failure fails
-- nothing else. What it needs beside the owner is a part of the lock's key: each further argument costs every uncontended call.
local function notify(id)
    local channel = string.match(redis.call('HGET', KEYS[7], id) or '', '^%S+')
    if channel then
        local namespace, name = string.match(KEYS[1], '^holdfast:{([^:]+):%d+}:%d*:?lock:(.*)$')
        if namespace then
            redis.pcall('PUBLISH', 'holdfast:' .. namespace .. ':' .. channel, id .. ' ' .. name)
        end
    end
end
