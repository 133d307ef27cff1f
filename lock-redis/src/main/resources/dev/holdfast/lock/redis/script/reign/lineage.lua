-- The reign under which something is asked: its epoch and its lineage are the last arguments, and the mark is the last key:
-- "<epoch> <base> <last token>".
local epoch, lineage = ARGV[#ARGV - 1], ARGV[#ARGV]

local function deposed(evidence)
    return { 'deposed', evidence }
end

-- The answer if this is not the server that the reign is of; nil if it is. A replica answers as it would to a change, so that
-- nobody goes on asking it.
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
