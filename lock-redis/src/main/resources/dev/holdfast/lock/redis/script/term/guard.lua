-- Refuses everything unless the primary term is active.
local recorded = string.match(redis.call('MGET', KEYS[#KEYS])[1] or '', '^(%d+) %d+ %d+$')

-- include term/active.lua
