-- The first in the queue.
SELECT id, place, seen FROM holdfast_waiter WHERE namespace = ? AND name = ? ORDER BY place LIMIT 1
