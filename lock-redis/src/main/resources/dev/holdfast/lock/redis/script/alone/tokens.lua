-- The tokens of a store that stands alone: greater than the server's clock lets one expect of any that were lost. Where there
-- is a composite's mark it grants nothing.
if mark then
    return { 'owned' }
end

local last = math.max(tonumber(counter or 0), above)

-- The answer if no token is left; nil if there is one.
local function exhausted()
    return last >= LAST_TOKEN and { 'exhausted', string.format('%.0f', last), '2^53 - 1' } or nil
end

local function next_token(us)
    return string.format('%.0f', math.max(last + 1, math.min(us, LAST_TOKEN)))
end

local function keep_token(token)
    redis.call('SET', KEYS[4], token)
end
