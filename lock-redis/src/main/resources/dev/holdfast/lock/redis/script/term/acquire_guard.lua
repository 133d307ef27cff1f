-- Refuses everything unless the primary term is active. Its tokens are counted from its base, by no clock; the counter is a part
-- of the record: once lost, it is not made anew.
local recorded, base
recorded, base, counter = string.match(term or '', '^(%d+) (%d+) (%d+)$')

-- include term/active.lua
