-- Reads the record of the primary term, whose key is the last one, and refuses everything unless the term is active.
local recorded = string.match(redis.call('MGET', KEYS[#KEYS])[1] or '', '^(%d+) %d+ %d+$')

-- include term.lua
