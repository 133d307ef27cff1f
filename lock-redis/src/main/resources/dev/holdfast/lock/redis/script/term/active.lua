-- Refuses everything unless the primary term is active. `recorded` is the epoch of the term's record; nil for a foreign value.

-- include term/replication.lua

if not is_the_primary or recorded ~= epoch then
-- include term/evidence.lua
    return not_the_primary()
        or stale(recorded and 'the record of the primary term is of epoch ' .. recorded
            or 'the record of the primary term is gone: the data were lost')
end
