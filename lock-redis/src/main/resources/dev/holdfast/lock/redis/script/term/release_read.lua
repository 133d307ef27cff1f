-- Reads the lock and its reservation, and refuses everything unless the primary term is active.
local values = redis.call('MGET', KEYS[1], KEYS[2], KEYS[#KEYS])
local recorded = string.match(values[3] or '', '^(%d+) %d+ %d+$')

-- include term/active.lua
