-- Extends leases: each lasts this long from now, and never less than it would have lasted anyway. The keys are those of the
-- locks, then of their reservations, then of their queues, and the term's record; each lock has an id and a length in ms. The
-- answer is one flat list, as some servers would send a nested one piece by piece: for each lock "granted <token> <ms left>",
-- or "gone".
--
-- Promises:
--   A lease is extended for the id that holds the lock, and only while it holds it.
--   One command for all locks, 2 for each, and 2 more with waiters, which have to know when the lock will be free.
--   A replica, which may know less than its master, does not answer: where there is nothing to write, the script removes a
--   member that does not exist, which a replica refuses. A foreign value in the place of the queue does not matter to that: a
--   server that takes writes says so.

-- term only:
-- include term_guard.lua
-- end only

local LONGEST = 3153600000000 -- a century: an absurdly long expiry set by hand must not fail the other locks

local count = (#KEYS - 1) / 3
local values = redis.call('MGET', unpack(KEYS, 1, 2 * count)) -- no renewal changes what it reads of a lock

local function answer(at)
    local lock_key, reservation_key, queue_key = KEYS[at], KEYS[count + at], KEYS[2 * count + at]
    local id, length = ARGV[2 * at - 1], tonumber(ARGV[2 * at])
    local state, holder, token = string.match(values[at] or '', '^(%a) (%x+) (%d+) ')
    if state ~= 'h' or holder ~= id then
        local tried = redis.pcall('ZREM', queue_key, '')
        if type(tried) == 'table' and not string.find(tried.err, '^WRONGTYPE') then
            redis.call('ZREM', queue_key, '') -- again: fails the whole script, as another command would here
        end
        return 'gone'
    end
    local left = math.min(math.max(length, redis.call('PTTL', lock_key)), LONGEST)
    redis.call('PEXPIRE', lock_key, string.format('%.0f', left))
    if values[count + at] then
        local time = redis.call('TIME')
        local free = time[1] * 1000 + math.floor(time[2] / 1000) + left
        redis.call('SET', reservation_key, string.format('%.0f', free), 'KEEPTTL')
    end
    return 'granted ' .. token .. ' ' .. string.format('%.0f', left)
end

local renewed = { 'renewed' }
for at = 1, count do
    renewed[at + 1] = answer(at)
end
return renewed
