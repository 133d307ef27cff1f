-- The primary term of a request: its epoch and its replication id are the last arguments, and its record is the last key:
-- "<epoch> <base> <last token>".
local epoch, replication_id = ARGV[#ARGV - 1], ARGV[#ARGV]

local function stale(evidence)
    return 'stale-term ' .. evidence
end

-- The answer if this server is not the one of the term; nil if it is. A replica answers as it would to a write, so that no
-- further request is sent to it.
--
-- A server also changes its master_replid without need: when its first replica attaches, and when it frees its backlog, which
-- had no replica for repl-backlog-ttl. Then it clears master_replid2 as well, as it does if it followed another server and lost
-- data before that. Nothing else tells these apart: run_id, master_replid2, second_repl_offset and the offsets are alike, the
-- record came back with the other server's data, and CONFIG RESETSTAT clears the counters of what was read as a replica.
-- Therefore each of these ends the term.
local function not_the_primary()
    local replication = redis.call('INFO', 'replication')
    if not string.find(replication, '\nrole:master\r', 1, true) then
        return redis.error_reply('READONLY this server is a replica')
    end
    local own = string.match(replication, '\nmaster_replid:(%x+)') or 'none'
    if own ~= replication_id then
        return 'other-server its data have another replication id: ' .. own
    end
    return nil
end

-- The epoch of a record; nil for a foreign value.
local function epoch_of(record)
    return string.match(record or '', '^(%d+) %d+ %d+$')
end
