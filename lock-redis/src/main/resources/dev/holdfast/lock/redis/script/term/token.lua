-- The next token of the primary term. A request with too great a floor does not end the term.
local limit = base + 2 ^ 36
if tonumber(counter) >= limit then
    return 'stale-term no token is left'
elseif last >= math.min(limit, LAST_TOKEN) then
    return 'exhausted ' .. string.format('%.0f', last) .. ' ' .. string.format('%.0f in this term', math.min(limit, LAST_TOKEN))
end
token = string.format('%.0f', last + 1)
new_counter = epoch .. ' ' .. base .. ' ' .. token
