-- Lets nothing be done here unless the reign can still come to power.

-- include reign/lineage.lua

local refused = misplaced()
if refused then
    return refused
end
local installed = marked(redis.call('MGET', KEYS[#KEYS])[1])
if installed and tonumber(installed) >= tonumber(epoch) then
    return deposed('a reign of epoch ' .. installed .. ' was installed')
end
