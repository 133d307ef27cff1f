-- Refuses everything unless the primary term is active. Its tokens are counted from its base, by no clock; the counter is a part
-- of the record: once lost, it is not made anew.

-- include term/active.lua

local refused = refusal(term)
if refused then
    return refused
end
local base
base, counter = string.match(term, '^%d+ (%d+) (%d+)$')
