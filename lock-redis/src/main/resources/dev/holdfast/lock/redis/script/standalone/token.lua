-- The token of a standalone store: greater than any that may have been lost, going by the server's clock.
if last >= LAST_TOKEN then
    return 'exhausted ' .. string.format('%.0f', last) .. ' 2^53 - 1'
end
local clock = tonumber(us)
token = last < clock and clock <= LAST_TOKEN and us or string.format('%.0f', math.max(last + 1, math.min(clock, LAST_TOKEN)))
new_counter = token
