-- The keys of one lock, as a script that includes this has them first. A call names each key that it uses: some servers check that.
--   lock         "<state> <id> <token> <since, us> <owner>"; state: h held, k kept by a minimum hold; expires with the lease. While
--                shares are out, state s: see share_keys.lua
--   reservation  while there are waiters: since when the free lock is reserved for the first, or when its lease ends, in ms
--   tombstone    exists while this id must not be granted
--   token        the last token of this shard; does not expire. Under a primary term it is a part of the term's record
--   queue        the waiters, by place
--   seen         the waiters, by the time of their last request, in ms
--   owners       of each waiter "<channel> <owner>"
--   term         the record of a composite's primary term; does not expire
local lock_key, reservation_key, tombstone_key, token_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local queue_key, seen_key, owners_key, term_key = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
