-- Precedes a script: time is what the key "virtual-us" says, and keys expire by it. A published message is kept in a list.
local redis = (function(server)
    local us = tonumber(server.call('GET', 'virtual-us'))
    local ms = math.floor(us / 1000)
    local expiries = 'virtual-expiries'
    local function number(any)
        return string.format('%.0f', any)
    end
    for _, key in ipairs(server.call('ZRANGEBYSCORE', expiries, '-inf', number(ms))) do
        server.call('DEL', key)
        server.call('ZREM', expiries, key)
    end
    local function expire(key, at)
        if server.call('EXISTS', key) == 1 then
            server.call('ZADD', expiries, number(at), key)
        end
    end
    local function carry_out(call, command, ...)
        local words = { ... }
        local key = words[1]
        if command == 'TIME' then
            return { number(math.floor(us / 1000000)), number(us % 1000000) }
        elseif command == 'PEXPIRE' then
            return expire(key, ms + words[2])
        elseif command == 'PEXPIREAT' then
            return expire(key, words[2])
        elseif command == 'PTTL' then
            local at = server.call('ZSCORE', expiries, key)
            return server.call('EXISTS', key) == 0 and -2 or at and at - ms or -1
        elseif command == 'PUBLISH' then
            return call('RPUSH', 'virtual-published', words[1] .. ' ' .. words[2])
        elseif command ~= 'SET' then
            local reply = call(command, ...)
            if command == 'DEL' or command == 'ZREM' or command == 'HDEL' then
                for _, each in ipairs(words) do
                    if server.call('EXISTS', each) == 0 then
                        server.call('ZREM', expiries, each)
                    end
                end
            end
            return reply
        end
        local at, keeps, condition = nil, false, nil
        for place = 3, #words do
            if words[place] == 'PX' then
                at = ms + words[place + 1]
            elseif words[place] == 'PXAT' then
                at = words[place + 1]
            elseif words[place] == 'NX' then
                condition = 'NX'
            elseif words[place] == 'KEEPTTL' then
                keeps = true
            end
        end
        local reply = condition and call('SET', key, words[2], condition) or call('SET', key, words[2])
        if reply and not reply.err and not keeps then
            server.call('ZREM', expiries, key)
            if at then
                expire(key, at)
            end
        end
        return reply
    end
    return {
        error_reply = server.error_reply,
        call = function(...) return carry_out(server.call, ...) end,
        pcall = function(...) return carry_out(server.pcall, ...) end,
    }
end)(redis)
