-- The queue of the lock of keys.lua. A script includes it where it first needs it, so that the path before it costs less.
--
-- Promises:
--   A waiter that has not asked for WAITER_TTL is dropped before the queue decides anything. Dropping costs the other waiters
--   nothing: the claim window of the next one begins then.
--   A waiter for a share is due once its share fits beside those that are out and those of all living waiters before it; so the
--   waiters that are due are the first ones. It is notified, and has a claim window of its own. It stays due: no later grant takes
--   what it needs.
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

-- A share waits if the time of its last request ends in a half, and is due if it ends in a quarter. That of a waiter which is due is
-- such that it is dead once its claim window is over: so all that have missed theirs are dropped at once.
local function is_share(last)
    return last % 1 ~= 0
end

local function is_due(last)
    return last % 1 == 0.25
end

local function due_since(since, last)
    return string.format('%.2f', math.min(last + 0.5, since + CLAIM_WINDOW - WAITER_TTL) - 0.75)
end

-- The permits and the limit for which a waiter waits, and when it asked for a share, by its text in `owners`.
local function share_of(text)
    local permits, limit, asked = string.match(text or '', '^%S*\t(%d+) (%d+) (%d+) ')
    return tonumber(permits or 1), tonumber(limit or 1), tonumber(asked)
end

-- Notifies a waiter through the channel of its store, which begins with the namespace. It is a hint only: its failure fails
-- nothing else. What it needs beside the owner is a part of the lock's key: each further argument costs every uncontended call.
local notified = nil -- the first waiter, if it was notified already
local function notify(id)
    if id == notified then
        return
    end
    local channel = string.match(redis.call('HGET', owners_key, id) or '', '^%S+')
    if channel then
        local namespace, name = string.match(lock_key, '^holdfast:{([^:]+):%d+}:%d*:?lock:(.*)$')
        if namespace then
            redis.pcall('PUBLISH', 'holdfast:' .. namespace .. ':' .. channel, id .. ' ' .. name)
        end
    end
end

local RELEASE = false

-- Looks at the waiters up to the first one that is not due: drops the dead, and notifies those that are newly due for a share. Returns
-- the first waiter left (nil for none), the start of its reservation of a lock that is free since `since`, whether a waiter was
-- dropped, and whether the share of `asking` fits, which counts as the last waiter unless it has a place. That is nil for an exclusive
-- Acquire, and RELEASE for a Release, which drops none for a missed claim window. A waiter that was dead before the lock became free
-- was never the first of a free lock. Many may have died at the same time.
local function first_due(now, since, lock, asking, asked_permits, asked_limit)
    local out, least = 0, math.huge -- the permits that are out or due, and the least of their limits
    if lock then
        out, least = string.match(lock, '^s (%d+) (%d+) ')
        out, least = tonumber(out or 1), tonumber(least or 1)
    end
    local then_out, then_least = out, least -- with the waiters dropped here that were due as long
    local changed = math.min(since, now) -- when the last of this became so
    local freed = since
    local head, dropped, admitted, blocked = nil, false, false, false
    local from, page = 0, 16
    while not blocked do
        local ids = redis.call('ZRANGE', queue_key, from, from + page - 1)
        local times = #ids > 0 and redis.call('ZMSCORE', seen_key, unpack(ids))
        local texts = nil
        local dead = {}
        for at, id in ipairs(ids) do
            local last = tonumber(times[at])
            if last and is_share(last) then
                texts = texts or redis.call('HMGET', owners_key, unpack(ids))
            end
            local permits, limit, asked = share_of(texts and texts[at])
            local alive = is_alive(last, now) -- a late claim counts until another Acquire
                or ((id == asking or asking == RELEASE) and last and is_due(last) and is_alive(asked, now))
            if not alive and last and is_due(last) then -- others that fit beside it have been due as long
                since = now
                then_out, then_least = then_out + permits, math.min(then_least, limit)
            elseif not alive and last and last + WAITER_TTL > freed then
                since, changed = head and since or now, now
            elseif alive and out + permits > math.min(least, limit) then
                head = head or id
                blocked = true
                break
            elseif alive then
                local start = then_out + permits <= math.min(then_least, limit) and changed or now
                then_out, then_least = then_out + permits, math.min(then_least, limit)
                local newly_due = id ~= asking and is_share(last) and not is_due(last)
                if newly_due and now >= start + CLAIM_WINDOW and asking ~= RELEASE then
                    alive = false
                    since = now
                else
                    out, least = out + permits, math.min(least, limit)
                    head = head or id
                    admitted = admitted or id == asking
                end
                if newly_due and alive then
                    redis.call('ZADD', seen_key, due_since(start, last), id)
                    notify(id)
                    notified = notified or (head == id and id)
                end
            end
            if not alive then
                dead[#dead + 1] = id
            end
        end
        if #dead > 0 then
            dropped = true
            drop(unpack(dead))
        end
        if #ids < page then
            break
        end
        from, page = from + #ids - #dead, 100
    end
    if asked_permits and not blocked and not admitted then
        admitted = out + asked_permits <= math.min(least, asked_limit)
    end
    return head, since, dropped, admitted
end

-- The same for an exclusive request. Mostly the first waiter is alive, and waits for no share. Such a request does not see which shares
-- have ended: it notes in the lock when the queue may have changed, before which no claim window begins (shares.lua).
local function first_alive(now, since, lock, asking)
    if lock and string.find(lock, '^s ') then
        redis.call('ZREM', queue_key, '') -- first: it needs no memory, of which none may be left
        local taken = string.match(lock, '^s %d+ %d+ %d+ ')
        redis.call('SET', lock_key, taken .. string.format('%.0f ', now), 'XX', 'KEEPTTL')
    end
    local head = first()
    local last = head and seen(head)
    if not head or (is_alive(last, now) and not is_share(last)) then
        return head, since, false
    end
    return first_due(now, since, lock, asking)
end

-- Drops some of the dead wherever they are in the queue.
local function drop_dead(now)
    local dead = redis.call('ZRANGEBYSCORE', seen_key, '-inf', string.format('%.0f', now - WAITER_TTL), 'LIMIT', 0, 100)
    if #dead > 0 then
        drop(unpack(dead))
    end
end

-- The number of living waiters ahead of this one. 4 stands for more, or for a queue too long to count in; 1 for any number if there
-- is a share among the first, as then several may leave the queue at once.
local function alive_ahead_of(id, now)
    local place = redis.call('ZRANK', queue_key, id) or 0
    local alive = 0
    local shares = false
    if place > 128 and not is_share(seen(first()) or 0) then
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
            last = tonumber(last)
            if is_alive(last, now) then
                alive = alive + 1
                shares = shares or is_share(last)
                if alive == 4 then
                    return shares and 1 or 4
                end
            end
        end
    end
    return shares and 1 or alive
end

-- Stores the start of the reservation, and keeps the queue for as long as a waiter in it may live.
local function store_reservation(since)
    redis.call('SET', reservation_key, string.format('%.0f', since), 'PX', QUEUE_TTL)
    redis.call('PEXPIRE', queue_key, QUEUE_TTL)
    redis.call('PEXPIRE', seen_key, QUEUE_TTL)
    redis.call('PEXPIRE', owners_key, QUEUE_TTL)
end
