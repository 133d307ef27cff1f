-- include reign/lineage.lua

-- The answer if the reign is not in power here; nil if it is.
local function refusal(mark)
    local answer = misplaced()
    local its = marked(mark)
    if answer then
        return answer
    elseif not its then
        return deposed('the mark of the reign is gone: the data were lost')
    elseif its ~= epoch then
        return deposed('the mark is of epoch ' .. its)
    end
    return nil
end
