-- Tries each command that the other scripts call, once, and returns those that were refused, each followed by the reason.
--
-- Promises: nothing is left behind, whichever is refused; only a hash is ever written, and only if it can be removed again.
local refused = {}

local function note(command, reply)
    if type(reply) == 'table' and reply.err then
        refused[#refused + 1] = command
        refused[#refused + 1] = reply.err
        return false
    end
    return true
end

note('TIME', redis.pcall('TIME'))
note('GET', redis.pcall('GET', KEYS[1]))
note('MGET', redis.pcall('MGET', KEYS[1], KEYS[2]))
note('PTTL', redis.pcall('PTTL', KEYS[1]))
note('SET', redis.pcall('SET', KEYS[1], '', 'XX'))
note('PEXPIRE', redis.pcall('PEXPIRE', KEYS[1], 1))
note('DEL', redis.pcall('DEL', KEYS[1]))
note('ZADD', redis.pcall('ZADD', KEYS[2], 'XX', 0, ''))
note('ZCARD', redis.pcall('ZCARD', KEYS[2]))
note('ZMSCORE', redis.pcall('ZMSCORE', KEYS[2], ''))
note('ZRANGE', redis.pcall('ZRANGE', KEYS[2], 0, 0))
note('ZRANGEBYSCORE', redis.pcall('ZRANGEBYSCORE', KEYS[2], 0, 0))
note('ZRANK', redis.pcall('ZRANK', KEYS[2], ''))
note('ZREM', redis.pcall('ZREM', KEYS[2], ''))
note('ZSCORE', redis.pcall('ZSCORE', KEYS[2], ''))
note('HGET', redis.pcall('HGET', KEYS[3], ''))
note('HMGET', redis.pcall('HMGET', KEYS[3], ''))
if note('HDEL', redis.pcall('HDEL', KEYS[3], '')) then
    note('HSET', redis.pcall('HSET', KEYS[3], '', ''))
    redis.pcall('HDEL', KEYS[3], '')
end
note('PUBLISH', redis.pcall('PUBLISH', ARGV[1], ''))
-- include reign/info.lua
return refused
