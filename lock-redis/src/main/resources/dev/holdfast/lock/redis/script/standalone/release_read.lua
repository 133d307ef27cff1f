-- Reads the lock and its reservation.
local values = redis.call('MGET', KEYS[1], KEYS[2])
