-- What release.lua does, for the scripts that include it, with `id`, `keep` in us, `remember` in ms, and `asking`: who asks for the
-- lock right after, and need not be told; nil for nobody.

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
        redis.call('SET', KEYS[3], '', 'PX', string.format('%.0f', remember))
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
    if (held or changed) and head ~= asking then
        tell(head, channels, name)
    end
else
    redis.call('DEL', KEYS[2])
end
return answer()
