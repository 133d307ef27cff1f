-- Since when a free lock is kept for the first in its queue, who was not the first when the lock became free.
UPDATE holdfast_lock SET promoted = ?, until = min(until, ?) WHERE namespace = ? AND name = ?
