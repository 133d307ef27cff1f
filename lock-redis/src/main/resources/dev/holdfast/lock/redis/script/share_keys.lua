-- The keys of one lock of which shares may be out: those of keys.lua, and these two, which count only while the state of the lock
-- is s. Its value is then "s <permits out> <least limit> <number of shares with that limit> ", and it expires with the last share:
-- to a request for another share or for the exclusive lock it is held. "<time of an exclusive request, in ms> " follows if there has
-- been one since, beside waiters.
--   ends    the shares that are out, by the time at which they end, in ms
--   shares  of each "<state> <token> <permits> <limit> <since, us> <owner>"; state: h held, k kept by a minimum hold
-- A waiter for a share is in the queue like any other. In `owners` it has "<channel><tab><permits> <limit> <owner>", and the time in
-- `seen` ends in a fraction (queue.lua).

-- include keys.lua
local ends_key, shares_key = KEYS[9], KEYS[10]
