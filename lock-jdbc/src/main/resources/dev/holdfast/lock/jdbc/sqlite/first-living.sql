-- The first in the queue who has asked within a ticket's time.
SELECT id, place, seen FROM holdfast_waiter WHERE namespace = ? AND name = ? AND seen > ? AND seen <= ?
ORDER BY place LIMIT 1
