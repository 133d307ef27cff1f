-- The statements that differ on MariaDB and MySQL.

-- name: create-lock
-- Finds a duplicate with an exclusive lock at once: a plain INSERT takes a shared one, and two of them deadlock.
INSERT INTO holdfast_lock (namespace, name, token, owner, granted_at, expires_at, state)
VALUES (:namespace, :name, 0, '', 0, 0, 'free')
ON DUPLICATE KEY UPDATE token = token
