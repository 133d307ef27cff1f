-- The tokens of a standalone store: greater than any that may have been lost, going by the server's clock. Where a composite
-- has left the record of a primary term, a standalone store grants nothing.
if term then
    return { 'composite' }
end

local last = math.max(tonumber(counter or 0), floor)

-- The answer if no token is left; nil if there is one.
local function exhausted()
    return last >= LAST_TOKEN and { 'exhausted', string.format('%.0f', last), '2^53 - 1' } or nil
end

local function next_token(us)
    return string.format('%.0f', math.max(last + 1, math.min(us, LAST_TOKEN)))
end

local function store_token(token)
    redis.call('SET', KEYS[4], token)
end
