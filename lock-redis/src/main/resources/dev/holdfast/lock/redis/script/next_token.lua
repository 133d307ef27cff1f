-- The next token, for the scripts that grant: sets `token`, and `new_counter`, which is to be stored under the token's key; or
-- answers that no token is left. They have the locals `counter` and `us`, the last token and the clock as digits; `token_floor`; and under
-- a primary term the term's `epoch` and `base`.
local last = tonumber(counter or 0)
if token_floor ~= '0' then
    last = math.max(last, tonumber(token_floor))
end
-- standalone only:
-- Greater than any token that may have been lost, going by the server's clock.
if last >= LAST_TOKEN then
    return 'exhausted ' .. string.format('%.0f', last) .. ' 2^53 - 1'
end
local clock = tonumber(us)
token = last < clock and clock <= LAST_TOKEN and us
    or string.format('%.0f', math.max(last + 1, math.min(clock, LAST_TOKEN)))
new_counter = token
-- end only
-- term only:
-- A request with too great a floor does not end the term.
local limit = base + 2 ^ 36
if tonumber(counter) >= limit then
    return 'stale-term no token is left'
elseif last >= math.min(limit, LAST_TOKEN) then
    return 'exhausted ' .. string.format('%.0f', last) .. ' '
        .. string.format('%.0f in this term', math.min(limit, LAST_TOKEN))
end
token = string.format('%.0f', last + 1)
new_counter = epoch .. ' ' .. base .. ' ' .. token
-- end only
