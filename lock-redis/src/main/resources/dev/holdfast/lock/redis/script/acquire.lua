-- Grants the lock if it is free and not reserved for another waiter; otherwise takes or keeps a place in the queue, if one is
-- wanted.
--
-- Promises:
--   A lock has one holder at a time. The holder's own request is answered with its token and the time that is left.
--   An id with a tombstone is never granted.
--   A token is greater than every earlier token of the shard.
--   A foreign value under the lock's key stays as it is, and its lock is not granted.
--   Nothing is written before the answer is certain.
--   A replica, which may know less than its master, does not answer: where there is nothing to write, the script removes a
--   member that does not exist, which a replica refuses.
-- Without a queue it costs 4 commands, and makes no table and no function: a reply of one string is sent at once, while a table
-- has the server allocate a buffer.

-- include keys.lua

local id, length, wants_place, token_floor, owner, channel = ARGV[1], ARGV[2], ARGV[3] == '1', ARGV[4], ARGV[5], ARGV[6]
local values = redis.call('MGET', lock_key, reservation_key, tombstone_key, token_key, term_key)
local lock, reservation, tombstone, counter, term = values[1], values[2], values[3], values[4], values[5]

-- term only:
-- Tokens of a primary term are counted from its base, by no clock; the counter is a part of the record: once lost, it is not
-- recreated.
local recorded, base
recorded, base, counter = string.match(term or '', '^(%d+) (%d+) (%d+)$')

-- include term.lua
-- end only

-- include acquire_lease.lua
