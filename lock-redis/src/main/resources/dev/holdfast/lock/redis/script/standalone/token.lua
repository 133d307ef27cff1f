-- The token of a standalone store: greater than any that may have been lost, going by the server's clock.
if last >= LAST_TOKEN then
    return 'exhausted ' .. string.format('%.0f', last) .. ' 2^53 - 1'
end
token = string.format('%.0f', math.max(last + 1, math.min(us, LAST_TOKEN)))
new_counter = token
