-- The queue of one lock, for the scripts that include it where they need it: what comes before that costs the less. The keys
--   1 lock    "<state> <id> <token> <since, us> <owner>"; state: h held, k kept by a minimum hold; it expires as the lease does
--   2 turn    while somebody waits: since when the lock is kept for the first of them, or when its lease ends, in ms
--   3 gone    exists while this id is remembered to be over
--   4 token   the last token of this bucket; does not expire. Under a reign the mark, of which it is a part
--   5 queue   who waits, by place
--   6 seen    who waits, by when they last asked, in ms
--   7 owners  who waits: "<channel> <owner>"
--   8 mark    where a composite reigns; does not expire
-- each of which is named where it is used: some servers look for that.
--
-- Promises: who has not asked for a ticket's time is dropped before anything is decided by the queue; dropping costs those
-- who wait nothing, as the next has its whole chance from then on.
local TICKET = 15000
local RESERVATION = 2000
local FORGOTTEN = TICKET + 1000 -- when everything about a queue expires in which nobody asks any more

-- A time in the future was written before the clock was set back.
local function lives(seen, now)
    return seen and seen <= now and now < seen + TICKET
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

-- Drops the dead from the front, and tells who is the first then (nil if nobody waits), since when a lock that is free since
-- `since` is kept for that one, and whether anybody was dropped. Whoever was dead before the lock became free was never the
-- first of a free lock. Many may have died at the same time: a hundred are looked at, and dropped, at once.
local function first_living(now, since)
    local head = first()
    if not head or lives(seen(head), now) then
        return head, since, false
    end
    while true do
        local ids = redis.call('ZRANGE', KEYS[5], 0, 99)
        if #ids == 0 then
            return nil, since, true
        end
        local living = nil
        local dead = {}
        for at, text in ipairs(redis.call('ZMSCORE', KEYS[6], unpack(ids))) do
            local last = tonumber(text)
            if lives(last, now) then
                living = ids[at]
                break
            end
            if last and last + TICKET > since then
                since = now
            end
            dead[at] = ids[at]
        end
        if #dead > 0 then
            drop(unpack(dead))
        end
        if living then
            return living, since, true
        end
    end
end

-- Drops some of the dead wherever they are.
local function drop_dead(now)
    local dead = redis.call('ZRANGEBYSCORE', KEYS[6], '-inf', string.format('%.0f', now - TICKET), 'LIMIT', 0, 100)
    if #dead > 0 then
        drop(unpack(dead))
    end
end

-- How many of the living are before this one; 4 for more, or if there are so many in the queue that it would take long to tell.
local function living_before(id, now)
    local place = redis.call('ZRANK', KEYS[5], id) or 0
    local living = 0
    if place > 128 then
        local dead = '(' .. string.format('%.0f', now - TICKET)
        local ids = redis.call('ZRANGEBYSCORE', KEYS[6], dead, string.format('%.0f', now), 'LIMIT', 0, 5)
        if #ids == 5 then
            return 4
        end
        for _, other in ipairs(ids) do
            if (redis.call('ZRANK', KEYS[5], other) or place) < place then
                living = living + 1
            end
        end
        return living
    end
    for from = 0, place - 1, 16 do
        local ids = redis.call('ZRANGE', KEYS[5], from, math.min(from + 15, place - 1))
        for _, last in ipairs(redis.call('ZMSCORE', KEYS[6], unpack(ids))) do
            if lives(tonumber(last), now) then
                living = living + 1
                if living == 4 then
                    return 4
                end
            end
        end
    end
    return living
end

-- Keeps what is known about the queue for as long as anybody in it lives.
local function keep_queue(since)
    redis.call('SET', KEYS[2], string.format('%.0f', since), 'PX', FORGOTTEN)
    redis.call('PEXPIRE', KEYS[5], FORGOTTEN)
    redis.call('PEXPIRE', KEYS[6], FORGOTTEN)
    redis.call('PEXPIRE', KEYS[7], FORGOTTEN)
end

-- Tells the one whose turn it is, through the channel of the store that asked for it. It is only a hint, and not worth failing.
local function tell(id, channels, name)
    local channel = string.match(redis.call('HGET', KEYS[7], id) or '', '^%S+')
    if channel then
        redis.pcall('PUBLISH', channels .. channel, id .. ' ' .. name)
    end
end
