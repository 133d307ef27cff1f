-- Lets leases last this long from now, each by itself, and never less than it would have lasted anyway. The keys are those of the
-- locks, then of their turns, then of their queues, and the mark; for each lock there are an id and a length in ms. The answer
-- is one list without lists in it, which some servers would send piece by piece: for each lock "<token> <ms left>", or that it
-- is gone.
--
-- Promises: only for the id that holds the lock, and only while it does. At most 3 calls for each, and 2 more where somebody waits,
-- who has to know when the lock will be free. A replica, which may know less than its master, answers nothing: where there is
-- nothing to write, something is removed that is not there. What somebody else wrote where a queue should be is in nobody's
-- way: only a server that takes changes says so.

-- include reign/guard.lua

local LONGEST = 3153600000000 -- a century: whose end somebody has set beyond all measure must not fail the others

local count = (#KEYS - 1) / 3

local function answer(at)
    local id, length = ARGV[2 * at - 1], tonumber(ARGV[2 * at])
    local values = redis.call('MGET', KEYS[at], KEYS[count + at])
    local state, holder, token = string.match(values[1] or '', '^(%a) (%x+) (%d+) ')
    if state ~= 'h' or holder ~= id then
        local tried = redis.pcall('ZREM', KEYS[2 * count + at], '')
        if type(tried) == 'table' and not string.find(tried.err, '^WRONGTYPE') then
            redis.call('ZREM', KEYS[2 * count + at], '') -- again: fails as a whole, as anything else would here
        end
        return 'gone'
    end
    local left = math.min(math.max(length, redis.call('PTTL', KEYS[at])), LONGEST)
    redis.call('PEXPIRE', KEYS[at], string.format('%.0f', left))
    if values[2] then
        local time = redis.call('TIME')
        local free = time[1] * 1000 + math.floor(time[2] / 1000) + left
        redis.call('SET', KEYS[count + at], string.format('%.0f', free), 'KEEPTTL')
    end
    return token .. ' ' .. string.format('%.0f', left)
end

local renewed = { 'renewed' }
for at = 1, count do
    renewed[at + 1] = answer(at)
end
return renewed
