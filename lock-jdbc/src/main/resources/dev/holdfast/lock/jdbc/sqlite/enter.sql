-- Gives an id the last place in the queue, also if it had another.
INSERT INTO holdfast_waiter (namespace, name, place, id, owner, seen)
SELECT ?1, ?2, coalesce(max(place), 0) + 1, ?3, ?4, ?5 FROM holdfast_waiter WHERE namespace = ?1 AND name = ?2
ON CONFLICT (namespace, name, id) DO UPDATE SET place = excluded.place, seen = excluded.seen
RETURNING place
