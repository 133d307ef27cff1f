-- The statements that differ on SQLite.

-- name: grant
-- Creates the row of the lock, if it has none: it was not created to be locked.
INSERT INTO holdfast_lock (namespace, name, token, id, owner, granted_at, expires_at, state)
VALUES (:namespace, :name, :token, :id, :owner, :granted_at, :expires_at, 'held')
ON CONFLICT (namespace, name) DO UPDATE
SET token = excluded.token, id = excluded.id, owner = excluded.owner, granted_at = excluded.granted_at,
    expires_at = excluded.expires_at, state = excluded.state, promoted_at = NULL
