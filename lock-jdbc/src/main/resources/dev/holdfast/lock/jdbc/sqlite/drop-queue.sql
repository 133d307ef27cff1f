-- Takes everybody out of the queue of a lock whose row is gone.
DELETE FROM holdfast_waiter WHERE namespace = ? AND name = ?
