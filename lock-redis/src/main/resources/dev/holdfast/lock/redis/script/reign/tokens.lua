-- The tokens of a reign: those from its base on, by no clock. Their counter is a part of the mark: lost, it is not made anew.

-- include reign/power.lua

local refused = refusal(mark)
if refused then
    return refused
end

local TOKENS = 2 ^ 36
local base, granted = string.match(mark, '^%d+ (%d+) (%d+)$')
local ends = base + TOKENS
local last = math.max(tonumber(granted), above)

-- The answer if no token is left; nil if there is one. Whoever asks for too great a token deposes nobody.
local function exhausted()
    if tonumber(granted) >= ends then
        return deposed('no token is left')
    elseif last >= math.min(ends, LAST_TOKEN) then
        return { 'exhausted', string.format('%.0f', last), string.format('%.0f in this reign', math.min(ends, LAST_TOKEN)) }
    end
    return nil
end

local function next_token()
    return string.format('%.0f', last + 1)
end

local function keep_token(token)
    redis.call('SET', KEYS[4], epoch .. ' ' .. base .. ' ' .. token)
end
