-- Puts a reign in power: leaves its mark, which does not expire.
--
-- Promises: nothing is done once a reign of this epoch or a later one was installed.

-- include reign/ascent.lua

redis.call('SET', KEYS[1], epoch .. ' ' .. ARGV[1] .. ' ' .. ARGV[1])
return { 'installed' }
