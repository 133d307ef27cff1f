-- Puts a reign in power: turns its draft into its mark, which does not expire.
--
-- Promises: nothing is done without the reign's draft, and so not twice, and not where anything was lost since.

-- include reign/drafted.lua

redis.call('SET', KEYS[1], epoch .. ' ' .. ARGV[1] .. ' ' .. ARGV[1])
return { 'installed' }
