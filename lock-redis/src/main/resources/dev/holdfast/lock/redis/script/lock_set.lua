-- Acquires and releases different locks in one call: first the acquires, then the releases, none of which leaves a tombstone. The
-- keys are those of the locks, of their reservations and of the tombstones of the acquires, the token, the term's record, and those
-- of the queues, of `seen` and of `owners`. The arguments are the number of acquires and the channel; for each acquire the id, the
-- length in ms, '1' if it wants a place, the floor of the token, and the owner; for each release the id and the minimum hold in us.
-- The answer is one flat list with the answer to each command, where "failed" and the reason may stand; or it is the reason why
-- nothing was done at all.
--
-- Most commands are plain: an acquire of a free lock without waiters and without a tombstone, and a release by the holder without
-- waiters and without a minimum hold. They are decided together: by one read, one clock, and one write of the counter. The others
-- are decided one by one, as acquire.lua and release.lua do.
--
-- Promises: those of acquire.lua and release.lua, and:
--   No two commands are about the same lock, so that what was read of a lock holds until its command is carried out.
--   The locks of plain releases are removed first: that needs no memory, and frees some. The counter is written before the locks
--   that are granted: it must not lag behind a token, whatever the server refuses then.
--   A command that fails does not fail the others, except at a replica, which answers none.
-- Plain commands cost 1 command for each acquire, and 4 for all together.

local acquires, channel = tonumber(ARGV[1]), ARGV[2]
local count = (#KEYS - 2 - acquires) / 5
local token_at = 2 * count + acquires + 1
local token_key = KEYS[token_at]

local values = redis.call('MGET', unpack(KEYS, 1, token_at + 1))
local counter, term = values[token_at], values[token_at + 1]

local limit = 9007199254740991 -- no token is greater
-- term only:
local recorded, base
recorded, base, counter = string.match(term or '', '^(%d+) (%d+) (%d+)$')

-- include term.lua

limit = math.min(base + 2 ^ 36, limit)
-- end only

-- include reason.lua

local answers = { 'decided' } -- then the answer to each command that has been carried out

-- Decides which commands are plain, and writes nothing. The token of each plain acquire, by its place.
local tokens = {}
local last = tonumber(counter or 0)
local us = nil
-- standalone only:
if term then -- the record that a composite has left
    last = nil
end
-- end only
if acquires > 0 and last then -- else there is a foreign value
    local time = redis.call('TIME')
    us = time[1] .. string.sub('00000' .. time[2], -6) -- digits: as a number, it would be printed for each grant
    local least = 0
-- standalone only:
    least = math.min(tonumber(us), limit) -- greater than any token that may have been lost, going by the server's clock
-- end only
    for at = 1, acquires do
        if not (values[at] or values[count + at] or values[2 * count + at]) then
            local floor = ARGV[5 * at + 1]
            local above = floor == '0' and last or math.max(last, tonumber(floor))
            if above < limit then
                last = math.max(above + 1, least)
                tokens[at] = string.format('%.0f', last)
            end
        end
    end
end
-- The locks of the plain releases.
local removed = {}
for at = acquires + 1, count do
    local from = 3 * acquires + 2 * at + 1
    local lock = values[at]
    if lock and not values[count + at] and ARGV[from + 1] == '0'
        and string.find(lock, 'h ' .. ARGV[from] .. ' ', 1, true) == 1 then
        removed[#removed + 1] = KEYS[at]
        answers[at + 1] = 'released'
    end
end

-- Carries the plain commands out.
if #removed > 0 then
    redis.call('DEL', unpack(removed))
end
if next(tokens) then
    local new_counter = string.format('%.0f', last)
-- term only:
    new_counter = epoch .. ' ' .. base .. ' ' .. new_counter
-- end only
    local refusal = redis.pcall('SET', token_key, new_counter).err
    for at = 1, acquires do
        local token = tokens[at]
        if token then
            local from = 5 * at - 2
            local length = ARGV[from + 1]
            local value = 'h ' .. ARGV[from] .. ' ' .. token .. ' ' .. us .. ' ' .. ARGV[from + 4]
            local written = refusal and { err = refusal } or redis.pcall('SET', KEYS[at], value, 'PX', length, 'NX')
            if not written then -- MGET shows a value of another type as missing
                answers[at + 1] = 'failed WRONGTYPE the key of this lock holds a foreign value'
            elseif written.err then
                answers[at + 1] = 'failed ' .. reason(written.err)
            else
                answers[at + 1] = 'granted ' .. token .. ' ' .. length
            end
        end
    end
    if string.find(refusal or '', 'READONLY', 1, true) then
        return redis.error_reply(reason(refusal))
    end
end

-- Carries the others out.
local lock_key, reservation_key, tombstone_key, queue_key, seen_key, owners_key = nil, nil, nil, nil, nil, nil
local acquire, release = nil, nil
for at = 1, count do
    if not answers[at + 1] then
        if not acquire then
            acquire = function(place)
                local from = 5 * place - 2
                local id, length, wants_place = ARGV[from], ARGV[from + 1], ARGV[from + 2] == '1'
                local token_floor, owner = ARGV[from + 3], ARGV[from + 4]
                local lock, reservation, tombstone = values[place], values[count + place], values[2 * count + place]
                local counter = redis.call('MGET', token_key)[1] -- others may have been granted meanwhile
-- term only:
                counter = string.match(counter or '', '^%d+ %d+ (%d+)$')
-- end only
-- include acquire_lease.lua
            end
            release = function(place)
                local from = 3 * acquires + 2 * place + 1
                local id, minimum_hold, tombstone_ms, next_id = ARGV[from], tonumber(ARGV[from + 1]), 0, nil
                local values = { values[place], values[count + place] }
-- include release_lease.lua
            end
        end
        lock_key, reservation_key = KEYS[at], KEYS[count + at]
        tombstone_key = at <= acquires and KEYS[2 * count + at] or nil
        local queue_at = token_at + 1 + at
        queue_key, seen_key, owners_key = KEYS[queue_at], KEYS[queue_at + count], KEYS[queue_at + 2 * count]
        local done, answer = pcall(at <= acquires and acquire or release, at)
        if type(answer) == 'table' then
            done, answer = false, answer.err
        end
        if not done then
            answer = reason(answer)
            if string.find(answer, '^READONLY') then
                return redis.error_reply(answer)
            end
            answer = 'failed ' .. answer
        end
        answers[at + 1] = answer
    end
end
return answers
