-- Refuses everything unless the primary term is active. `recorded` is the epoch of its record, "<epoch> <base> <last token>"; nil
-- for a foreign value.

-- include primary.lua

if recorded ~= epoch then
    return 'stale-term ' .. (recorded and 'the record of the primary term is of epoch ' .. recorded
        or 'the record of the primary term is gone: the data were lost')
end
