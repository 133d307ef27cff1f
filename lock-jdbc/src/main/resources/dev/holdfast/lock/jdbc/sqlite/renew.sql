-- Moves the end of a lease that is not over.
UPDATE holdfast_lock SET until = ? WHERE namespace = ? AND name = ?
