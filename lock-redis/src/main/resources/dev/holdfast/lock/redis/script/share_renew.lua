-- Extends a share: it lasts this long from now, and never less than it would have lasted anyway. The arguments are the id and the length in
-- ms.
--
-- Promises:
--   A share is extended for the id that holds it, and only while it holds it; no other share is.
--   A replica, which may know less than its master, does not answer: see renew.lua.

-- include share_keys.lua

local id, length = ARGV[1], tonumber(ARGV[2])

-- standalone only:
local values = redis.call('MGET', lock_key, reservation_key)
-- end only
-- term only:
local values = redis.call('MGET', lock_key, reservation_key, term_key)
local recorded = string.match(values[3] or '', '^(%d+) %d+ %d+$')

-- include term.lua
-- end only

local lock, reservation = values[1], values[2]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.ceil(time[2] / 1000) -- a share ends by this, never too soon
local token, until_ms = nil, nil
if string.find(lock or '', '^s ') then
    token = string.match(redis.call('HGET', shares_key, id) or '', '^h (%d+) ')
    until_ms = token and tonumber(redis.call('ZSCORE', ends_key, id))
end
if not until_ms or until_ms <= now then
    redis.call('ZREM', ends_key, '')
    return 'gone'
end

-- include shares.lua

until_ms = math.max(until_ms, now + length)
local last = end_of_share()
redis.call('ZADD', ends_key, whole(until_ms), id)
if until_ms > last then
    redis.call('PEXPIREAT', lock_key, whole(until_ms))
    expire_shares(until_ms)
    if reservation then
        redis.call('SET', reservation_key, whole(until_ms), 'KEEPTTL')
    end
end
return 'granted ' .. token .. ' ' .. whole(until_ms - now)
