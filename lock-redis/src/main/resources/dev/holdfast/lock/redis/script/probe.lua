-- Tries each command that the other scripts call, once, until the server refuses one. Returns that command and the reason, or
-- an empty list.
--
-- Promises: nothing is left behind, whichever command is refused. Only a hash is ever written, and only if it can be removed.
local text_key, queue_key, owners_key, channel = KEYS[1], KEYS[2], KEYS[3], ARGV[1]

local function refusal(command, reply)
    return type(reply) == 'table' and reply.err and { command, reply.err }
end

local refused = refusal('TIME', redis.pcall('TIME'))
    or refusal('GET', redis.pcall('GET', text_key))
    or refusal('MGET', redis.pcall('MGET', text_key, queue_key))
    or refusal('PTTL', redis.pcall('PTTL', text_key))
    or refusal('SET', redis.pcall('SET', text_key, '', 'XX'))
    or refusal('PEXPIRE', redis.pcall('PEXPIRE', text_key, 1))
    or refusal('PEXPIREAT', redis.pcall('PEXPIREAT', text_key, 1))
    or refusal('DEL', redis.pcall('DEL', text_key))
    or refusal('ZADD', redis.pcall('ZADD', queue_key, 'XX', 0, ''))
    or refusal('ZCARD', redis.pcall('ZCARD', queue_key))
    or refusal('ZMSCORE', redis.pcall('ZMSCORE', queue_key, ''))
    or refusal('ZRANGE', redis.pcall('ZRANGE', queue_key, 0, 0))
    or refusal('ZRANGEBYSCORE', redis.pcall('ZRANGEBYSCORE', queue_key, 0, 0))
    or refusal('ZRANK', redis.pcall('ZRANK', queue_key, ''))
    or refusal('ZREM', redis.pcall('ZREM', queue_key, ''))
    or refusal('ZSCORE', redis.pcall('ZSCORE', queue_key, ''))
    or refusal('HGET', redis.pcall('HGET', owners_key, ''))
    or refusal('HMGET', redis.pcall('HMGET', owners_key, ''))
    or refusal('HDEL', redis.pcall('HDEL', owners_key, ''))
    or refusal('HSET', redis.pcall('HSET', owners_key, '', ''))
    or refusal('HDEL', redis.pcall('HDEL', owners_key, ''))
    or refusal('PUBLISH', redis.pcall('PUBLISH', channel, ''))
-- term only:
    or refusal('INFO', redis.pcall('INFO', 'replication'))
-- end only
return refused or {}
