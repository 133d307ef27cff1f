-- Writes shares of one lock under a primary term that is active and receives no commands yet. Each share has five arguments: its id;
-- "<state> <token> <permits> <limit>"; its age in us; the time left in ms; and its owner.
--
-- Promises:
--   A share that an earlier call wrote stays: it lasts long enough.
--   The lock counts all shares that are written, in this call and in earlier ones.
--   Nothing is written for a lock that a lease of another kind has, or without the term's record: see transfer.lua.

-- include share_keys.lua
local values = redis.call('MGET', lock_key, term_key)
local lock = values[1]
local recorded = string.match(values[2] or '', '^(%d+) %d+ %d+$')

-- include term.lua

if lock and not string.find(lock, '^s ') then
    return redis.error_reply('ERR a lease of another kind was transferred for the lock of this share')
end
local time = redis.call('TIME')
local us = time[1] * 1000000 + time[2]
local now_up = math.ceil(us / 1000) -- in ms; a share ends by this, never too soon

-- include shares.lua

if not lock then
    redis.call('DEL', ends_key, shares_key) -- of shares that have all ended
end
for from = 1, #ARGV - 2, 5 do
    local id, grant, age, left, owner = ARGV[from], ARGV[from + 1], ARGV[from + 2], ARGV[from + 3], ARGV[from + 4]
    if not redis.call('HGET', shares_key, id) then
        local permits, limit = string.match(grant, '^%a %d+ (%d+) (%d+)$')
        redis.call('ZADD', ends_key, whole(now_up + left), id)
        redis.call('HSET', shares_key, id, grant .. ' ' .. whole(math.max(0, us - age)) .. ' ' .. owner)
        add_share(tonumber(permits), tonumber(limit))
    end
end
store_shares()
return 'transferred'
