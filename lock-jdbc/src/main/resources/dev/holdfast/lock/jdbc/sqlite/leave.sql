-- Takes an id out of the queue.
DELETE FROM holdfast_waiter WHERE namespace = ? AND name = ? AND id = ?
