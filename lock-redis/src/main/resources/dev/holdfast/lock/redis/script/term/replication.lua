-- The primary term of a request: its epoch and its replication id are the last arguments, and its record is the last key:
-- "<epoch> <base> <last token>". A request whose term is active makes no function and searches for no pattern here: both cost as
-- much as the commands of a lock.
--
-- A server also changes its master_replid without need: when its first replica attaches, and when it frees its backlog, which
-- had no replica for repl-backlog-ttl. Then it clears master_replid2 as well, as it does if it followed another server and lost
-- data before that. Nothing else tells these apart: run_id, master_replid2, second_repl_offset and the offsets are alike, the
-- record came back with the other server's data, and CONFIG RESETSTAT clears the counters of what was read as a replica.
-- Therefore each of these ends the term.
local epoch, replication_id = ARGV[#ARGV - 1], ARGV[#ARGV]
local replication = redis.call('INFO', 'replication')
local is_the_primary = replication_id ~= '' -- which names no history
    and string.find(replication, '\nrole:master\r', 1, true)
    and string.find(replication, '\nmaster_replid:' .. replication_id .. '\r', 1, true)
