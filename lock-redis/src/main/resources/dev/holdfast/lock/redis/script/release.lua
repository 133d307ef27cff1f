-- Ends the lease of this id, or withdraws its place in the queue; what has another id is never touched.
--
-- Promises: with a minimum hold the lock stays busy until that long after the grant; whoever's turn it becomes is told, and so
-- is whoever became the first in the queue of a busy lock; an id that is to be remembered is, for no less than it was already.
-- Where nobody waits and nothing is to be kept or remembered 2 calls. A withdrawal comes first: memory that it frees is enough
-- for what is to be remembered, and a replica, which may know less than its master, refuses it.
local id, keep, remember, channels, name = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]

-- include reign/guard.lua

local values = redis.call('MGET', KEYS[1], KEYS[2])
local lock, turn = values[1], values[2]
local state, holder, since_us = string.match(lock or '', '^(%a) (%x+) %d+ (%d+) ')
local held = state == 'h' and holder == id
local us, kept = 0, 0
if turn or (held and keep > 0) then
    local time = redis.call('TIME')
    us = time[1] * 1000000 + time[2]
end

if held then
    kept = math.max(0, math.ceil(math.min(keep, since_us + keep - us) / 1000)) -- ms; the clock may have been set back
    if kept > 0 then
        redis.call('PEXPIRE', KEYS[1], string.format('%.0f', kept)) -- first: it takes no memory, of which there may be none left
        redis.call('SET', KEYS[1], 'k' .. string.sub(lock, 2), 'PX', string.format('%.0f', kept))
    else
        redis.call('DEL', KEYS[1])
    end
elseif not turn then
    redis.call('ZREM', KEYS[5], id)
end

local function answer()
    if remember > 0 and remember > redis.call('PTTL', KEYS[3]) then
        redis.call('SET', KEYS[3], '', 'PX', ARGV[3])
    end
    return { held and 'released' or 'absent' }
end

if not turn then
    return answer()
end

-- include queue.lua

local now = math.floor(us / 1000)
local free = not lock or (held and kept == 0)
local since = tonumber(turn)
if held then
    since = now + kept
elseif free then
    since = math.min(since, now)
end
local head, since_head, changed = first_living(now, since)
if not held and head == id then
    drop(id)
    changed = true
    head, since_head = first_living(now, now)
elseif not held then
    drop(id)
end
if head then
    keep_queue(free and since_head or since)
    if held or changed then
        tell(head, channels, name)
    end
else
    redis.call('DEL', KEYS[2])
end
return answer()
