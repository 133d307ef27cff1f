-- Acquires and releases different locks in one call, as far as they are plain: an acquire of a free lock without waiters and without a
-- tombstone, and a release by the holder without waiters. They are decided together: by one read, one clock, and one write of the
-- counter. Every other command is left untouched, for acquire.lua and release.lua.
--
-- The keys are those of the locks, first of the acquires and then of the releases; of their reservations in the same order; of the
-- tombstones of the acquires; the token and the term's record. The arguments are the number of acquires; the length in ms, the floor
-- of the token and the owner of them all; and the id of each command. None of the releases has a minimum hold or leaves a tombstone.
-- The answer is one string: a line 'decided' and, for each command, a line with its token, 'released' or 'left'; or it is the reason
-- why nothing was done at all. A list has the server allocate a buffer: a seventh of the cost of a set of two.
--
-- Promises: those of acquire.lua and release.lua about locks, tokens and tombstones, and:
--   No two commands are about the same lock, so that what was read of a lock holds until its command is carried out.
--   The locks of releases are removed first: that needs no memory, and frees some. Where the server refuses, as a replica does, the
--   script fails, and nothing was done.
--   The counter is written before the locks that are granted: it must not lag behind a token, whatever the server refuses then. An
--   acquire that is refused is left: its own script names the reason.
-- It costs 1 command for each acquire, and 4 for all together.

local acquires, length, floor, owner = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4]
local count = (#KEYS - 2 - acquires) / 2
local token_key = KEYS[#KEYS - 1]

local values = redis.call('MGET', unpack(KEYS))
local counter, term = values[#KEYS - 1], values[#KEYS]

local limit = 9007199254740991 -- no token is greater
-- term only:
local recorded, base
recorded, base, counter = string.match(term or '', '^(%d+) (%d+) (%d+)$')

-- include term.lua

limit = math.min(base + 2 ^ 36, limit)
-- end only

local answers = { 'decided' }
local removed = {}
for at = 1, count do
    local lock = values[at]
    if at > acquires and lock and not values[count + at]
        and string.find(lock, 'h ' .. ARGV[4 + at] .. ' ', 1, true) == 1 then
        removed[#removed + 1] = KEYS[at]
        answers[at + 1] = 'released'
    else
        answers[at + 1] = 'left'
    end
end
if #removed > 0 then
    redis.call('DEL', unpack(removed))
end

local last = tonumber(counter or 0)
-- standalone only:
if term then -- the record that a composite has left
    last = nil
end
-- end only
if acquires > 0 and last then -- nil for a foreign value
    local time = redis.call('TIME')
    local us = time[1] .. string.sub('00000' .. time[2], -6) -- digits: as a number, it would be printed for each grant
    local least = 0
-- standalone only:
    least = math.min(tonumber(us), limit) -- greater than any token that may have been lost, going by the server's clock
-- end only
    if floor ~= '0' then
        last = math.max(last, tonumber(floor))
    end
    local tokens, newest = {}, nil
    for at = 1, acquires do
        if last < limit and not (values[at] or values[count + at] or values[2 * count + at]) then
            last = math.max(last + 1, least)
            newest = string.format('%.0f', last)
            tokens[at] = newest
        end
    end
    local new_counter = newest
-- term only:
    new_counter = newest and epoch .. ' ' .. base .. ' ' .. newest
-- end only
    if newest and not redis.pcall('SET', token_key, new_counter).err then
        local since_and_owner = ' ' .. us .. ' ' .. owner
        for at = 1, acquires do
            local token = tokens[at]
            if token then
                local value = 'h ' .. ARGV[4 + at] .. ' ' .. token .. since_and_owner
                local written = redis.pcall('SET', KEYS[at], value, 'PX', length, 'NX')
                if written and not written.err then -- MGET shows a value of another type as missing, and NX does not replace it
                    answers[at + 1] = token
                end
            end
        end
    end
end
return table.concat(answers, '\n')
