-- The lock as it is: its row if it was used lately.
SELECT token, id, since, until, state, promoted FROM holdfast_lock WHERE namespace = ? AND name = ?
