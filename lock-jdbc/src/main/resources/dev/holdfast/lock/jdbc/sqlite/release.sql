-- Ends the lease of the row's id; the lock is busy until the minimum hold is over, or free at once.
UPDATE holdfast_lock SET until = ?, state = ?, promoted = NULL WHERE namespace = ? AND name = ?
