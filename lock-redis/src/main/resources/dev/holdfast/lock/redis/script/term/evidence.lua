-- Why the primary term is not active here. The scripts include it where they know that it is not.
local function stale(evidence)
    return 'stale-term ' .. evidence
end

-- The answer if this server is not the one of the term; nil if it is. A replica answers as it would to a write, so that no
-- further request is sent to it.
local function not_the_primary()
    if is_the_primary then
        return nil
    elseif not string.find(replication, '\nrole:master\r', 1, true) then
        return redis.error_reply('READONLY this server is a replica')
    end
    local own = string.match(replication, '\nmaster_replid:(%x+)\r') or 'none'
    return 'other-server its data have another replication id: ' .. own
end
