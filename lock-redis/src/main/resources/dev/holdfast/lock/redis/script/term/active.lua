-- include term/replication.lua

-- The answer if the primary term is not active here; nil if it is.
local function refusal(record)
    local answer = not_the_primary()
    local recorded = epoch_of(record)
    if answer then
        return answer
    elseif not recorded then
        return stale('the record of the primary term is gone: the data were lost')
    elseif recorded ~= epoch then
        return stale('the record of the primary term is of epoch ' .. recorded)
    end
    return nil
end
