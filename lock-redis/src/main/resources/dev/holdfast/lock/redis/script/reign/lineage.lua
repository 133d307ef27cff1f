-- The reign under which something is asked: its epoch and its lineage are the last arguments, and the mark is the last key:
-- "<epoch> <base> <last token>".
local epoch, lineage = ARGV[#ARGV - 1], ARGV[#ARGV]

local function deposed(evidence)
    return { 'deposed', evidence }
end

-- The answer if this is not the server that the reign is of; nil if it is. A replica answers as it would to a change, so that
-- nobody goes on asking it.
--
-- A server changes its master_replid without need, too: when its first replica attaches, and when it frees its backlog, which had
-- no replica for repl-backlog-ttl. Then it clears master_replid2 as well, and so it does if it followed another and lost data before
-- that: run_id, master_replid2, second_repl_offset and the offsets are alike, the mark came back with the other's data, and the
-- counters of what it read as a replica begin anew with CONFIG RESETSTAT. As nothing tells for certain, all of them depose.
local function misplaced()
    local replication = redis.call('INFO', 'replication')
    if not string.find(replication, '\nrole:master\r', 1, true) then
        return redis.error_reply('READONLY this server is a replica')
    end
    local own = string.match(replication, '\nmaster_replid:(%x+)') or 'none'
    if own ~= lineage then
        return { 'elsewhere', 'its data are of another lineage: ' .. own }
    end
    return nil
end

-- Of which epoch the mark is; nil if it is none.
local function marked(mark)
    return string.match(mark or '', '^(%d+) %d+ %d+$')
end
