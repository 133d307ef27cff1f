-- Begins to write under a reign that is to come to power, in the place of any earlier one: leaves its draft.
--
-- Promises: nothing is done once a reign of this epoch or a later one was drafted or installed.

-- include reign/ascent.lua

if drafted and tonumber(drafted) >= tonumber(epoch) then
    return deposed('a reign of epoch ' .. drafted .. ' was drafted')
end
redis.call('SET', KEYS[1], epoch .. ' draft')
return { 'drafted' }
