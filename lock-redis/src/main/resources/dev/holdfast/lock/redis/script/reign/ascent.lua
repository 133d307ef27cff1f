-- Lets nothing be done here unless the reign can still come to power. Its draft stands where the mark will be: "<epoch> draft".
-- Whatever loses what was written under the draft loses the draft with it.

-- include reign/lineage.lua

local refused = misplaced()
if refused then
    return refused
end
local present = redis.call('MGET', KEYS[#KEYS])[1]
local installed = marked(present)
if installed and tonumber(installed) >= tonumber(epoch) then
    return deposed('a reign of epoch ' .. installed .. ' was installed')
end
local drafted = string.match(present or '', '^(%d+) draft$')
