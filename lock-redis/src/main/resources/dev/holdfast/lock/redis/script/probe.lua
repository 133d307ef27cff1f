-- Tries each command that the other scripts call, once, until the server refuses one. Returns that command and the reason, or
-- an empty list.
--
-- Promises: nothing is left behind, whichever command is refused. Only a hash is ever written, and only if it can be removed.
local function refusal(command, reply)
    return type(reply) == 'table' and reply.err and { command, reply.err }
end

local refused = refusal('TIME', redis.pcall('TIME'))
    or refusal('GET', redis.pcall('GET', KEYS[1]))
    or refusal('MGET', redis.pcall('MGET', KEYS[1], KEYS[2]))
    or refusal('PTTL', redis.pcall('PTTL', KEYS[1]))
    or refusal('SET', redis.pcall('SET', KEYS[1], '', 'XX'))
    or refusal('PEXPIRE', redis.pcall('PEXPIRE', KEYS[1], 1))
    or refusal('DEL', redis.pcall('DEL', KEYS[1]))
    or refusal('ZADD', redis.pcall('ZADD', KEYS[2], 'XX', 0, ''))
    or refusal('ZCARD', redis.pcall('ZCARD', KEYS[2]))
    or refusal('ZMSCORE', redis.pcall('ZMSCORE', KEYS[2], ''))
    or refusal('ZRANGE', redis.pcall('ZRANGE', KEYS[2], 0, 0))
    or refusal('ZRANGEBYSCORE', redis.pcall('ZRANGEBYSCORE', KEYS[2], 0, 0))
    or refusal('ZRANK', redis.pcall('ZRANK', KEYS[2], ''))
    or refusal('ZREM', redis.pcall('ZREM', KEYS[2], ''))
    or refusal('ZSCORE', redis.pcall('ZSCORE', KEYS[2], ''))
    or refusal('HGET', redis.pcall('HGET', KEYS[3], ''))
    or refusal('HMGET', redis.pcall('HMGET', KEYS[3], ''))
    or refusal('HDEL', redis.pcall('HDEL', KEYS[3], ''))
    or refusal('HSET', redis.pcall('HSET', KEYS[3], '', ''))
    or refusal('HDEL', redis.pcall('HDEL', KEYS[3], ''))
    or refusal('PUBLISH', redis.pcall('PUBLISH', ARGV[1], ''))
-- include term/probe.lua
return refused or {}
