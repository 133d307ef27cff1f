-- Gives a lock back for one id and asks for it for another, as release.lua and acquire.lua do one after the other. The keys and
-- the arguments are those of acquire.lua, and then the id that gives back, and its minimum hold in us. The answer is one list
-- without lists in it: "passed", what came of the release, and what of the acquire, for each of which "failed" and the reason may
-- stand; or why nothing was done at all.
--
-- Promises: those of both; but nothing is remembered of who gives back, and who asks is not told of its turn. What somebody
-- else wrote and is in the way of one is not in the way of the other.

-- include reign/guard.lua

local function give_back(id, keep, remember, asking, channels, name)
-- include giving_back.lua
end

local function acquire()
-- include acquire.lua
end

-- What the server said, without where in the script that was, which version 6 puts before it.
local function reason(text)
    return (string.gsub(string.match(text, '^@user_script: ?%d+: %-?(.*)$') or text, '%s+$', ''))
end

local answer = { 'passed' }
local released, given = pcall(give_back, ARGV[9], tonumber(ARGV[10]), 0, ARGV[1], ARGV[7], ARGV[8])
if released then
    answer[2] = given[1]
else
    local why = reason(given)
    if not string.find(why, '^WRONGTYPE') then
        return redis.error_reply(why) -- it is the server that does not want to, and not only this
    end
    answer[2], answer[3] = 'failed', why
end
local asked, its = pcall(acquire)
if not asked then
    its = { 'failed', reason(its) }
elseif its.err then
    its = { 'failed', its.err }
end
for _, word in ipairs(its) do
    answer[#answer + 1] = word
end
return answer
