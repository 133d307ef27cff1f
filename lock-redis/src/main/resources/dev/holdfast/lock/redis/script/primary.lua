-- Refuses everything unless this server is the one of the primary term, whose epoch and replication id are the last arguments.
-- A replica answers as it would to a write, so that no further request is sent to it. A request that is not refused makes no
-- function and searches for no pattern here: both cost as much as the commands of a lock.
--
-- A server also changes its master_replid without need: when its first replica attaches, and when it frees its backlog, which
-- had no replica for repl-backlog-ttl. Then it clears master_replid2 as well, as it does if it followed another server and lost
-- data before that. Nothing else tells these apart: run_id, master_replid2, second_repl_offset and the offsets are alike, the
-- record came back with the other server's data, and CONFIG RESETSTAT clears the counters of what was read as a replica.
-- Therefore each of these ends the term.
local epoch, replication_id = ARGV[#ARGV - 1], ARGV[#ARGV]
local replication = redis.call('INFO', 'replication')
if not string.find(replication, '\nrole:master\r', 1, true) then
    return redis.error_reply('READONLY this server is a replica')
elseif replication_id == '' -- which names no history
    or not string.find(replication, '\nmaster_replid:' .. replication_id .. '\r', 1, true) then
    local own = string.match(replication, '\nmaster_replid:(%x+)\r') or 'none'
    return 'other-server its data have another replication id: ' .. own
end
