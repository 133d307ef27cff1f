-- Activates a primary term: writes its record, which does not expire.
--
-- Promises: nothing is written once a term of this epoch or a later one was activated.

-- include term/activation.lua

redis.call('SET', KEYS[1], epoch .. ' ' .. ARGV[1] .. ' ' .. ARGV[1])
return 'activated'
