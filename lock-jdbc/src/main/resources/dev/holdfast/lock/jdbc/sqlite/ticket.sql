-- The place of an id in the queue, and when it last asked.
SELECT id, place, seen FROM holdfast_waiter WHERE namespace = ? AND name = ? AND id = ?
