-- Ends the lease of this id, or withdraws its place in the queue.
--
-- Promises:
--   A lease or a place of another id is never touched.
--   With a minimum hold the lock stays busy until that long after the grant.
--   The waiter for which the lock becomes reserved is notified, and so is the new first waiter of a busy lock.
--   A requested tombstone is left, and lasts at least as long as an existing one.
--   The withdrawal comes before the tombstone: the memory that it frees is enough for the tombstone, and a replica, which may
--   know less than its master, refuses it.
-- Without waiters, minimum hold and tombstone it costs 2 commands.

-- include keys.lua

local id, minimum_hold, tombstone_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local next_id = nil

-- standalone only:
local values = redis.call('MGET', lock_key, reservation_key)
-- end only
-- term only:
local values = redis.call('MGET', lock_key, reservation_key, term_key)
local recorded = string.match(values[3] or '', '^(%d+) %d+ %d+$')

-- include term.lua
-- end only
-- include release_lease.lua
