-- Ends the lease of this id, or withdraws its place in the queue; what has another id is never touched.
--
-- Promises: with a minimum hold the lock stays busy until that long after the grant; whoever's turn it becomes is told, and so
-- is whoever became the first in the queue of a busy lock; an id that is to be remembered is, for no less than it was already.
-- Where nobody waits and nothing is to be kept or remembered 2 calls. A withdrawal comes first: memory that it frees is enough
-- for what is to be remembered, and a replica, which may know less than its master, refuses it.
local id, keep, remember, channels, name = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]
local asking = nil

-- include reign/guard.lua
-- include giving_back.lua
