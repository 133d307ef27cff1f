-- The tokens of a primary term: counted from its base, by no clock. The counter is a part of the record: once lost, it is not
-- made anew.

-- include term/active.lua

local refused = refusal(term)
if refused then
    return refused
end

local TOKENS = 2 ^ 36
local base, granted = string.match(term, '^%d+ (%d+) (%d+)$')
local limit = base + TOKENS
local last = math.max(tonumber(granted), floor)

-- The answer if no token is left; nil if there is one. A request with too great a floor does not end the term.
local function exhausted()
    if tonumber(granted) >= limit then
        return stale('no token is left')
    elseif last >= math.min(limit, LAST_TOKEN) then
        return { 'exhausted', string.format('%.0f', last), string.format('%.0f in this term', math.min(limit, LAST_TOKEN)) }
    end
    return nil
end

local function next_token()
    return string.format('%.0f', last + 1)
end

local function store_token(token)
    redis.call('SET', KEYS[4], epoch .. ' ' .. base .. ' ' .. token)
end
