-- Releases a lock for one id and acquires it for another: release.lua and acquire.lua in one call. The keys and arguments are
-- those of acquire.lua, followed by the id that releases and its minimum hold in us. The answer has three
-- lines: "handed-off", the answer to the release, and the answer to the acquire, where "failed" and the reason may stand for
-- either. Or it is the reason why nothing was done at all.
--
-- Promises: those of both scripts. The release leaves no tombstone, and the acquiring id is not notified. A foreign value
-- that fails one of the two does not fail the other.

-- include keys.lua

local acquiring_id, releasing_id, releasing_minimum_hold = ARGV[1], ARGV[7], tonumber(ARGV[8])

-- term only:
-- include term_guard.lua
-- end only

local function release(id, minimum_hold, tombstone_ms, next_id)
    local values = redis.call('MGET', lock_key, reservation_key)
-- include release_lease.lua
end

local function acquire()
-- include acquire.lua
end

-- An error without the position in the script, which version 6 puts before it.
local function reason(text)
    return (string.gsub(string.match(text, '^@user_script: ?%d+: %-?(.*)$') or text, '%s+$', ''))
end

local released, result = pcall(release, releasing_id, releasing_minimum_hold, 0, acquiring_id)
if not released then
    local cause = reason(result)
    if not string.find(cause, '^WRONGTYPE') then
        return redis.error_reply(cause) -- the server refuses more than this one command
    end
    result = 'failed ' .. cause
end
local acquired, reply = pcall(acquire)
if not acquired then
    reply = 'failed ' .. reason(reply)
elseif type(reply) == 'table' then
    reply = 'failed ' .. reply.err
end
return 'handed-off\n' .. result .. '\n' .. reply
