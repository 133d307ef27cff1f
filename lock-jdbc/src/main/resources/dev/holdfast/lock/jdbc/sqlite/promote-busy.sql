-- Somebody else is the first in the queue of a busy lock now, and is told by this that it is.
UPDATE holdfast_lock SET promoted = ? WHERE namespace = ? AND name = ?
