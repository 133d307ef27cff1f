-- The statements that differ on H2.

-- name: write-locks
-- Each as its commands leave it.
MERGE INTO holdfast_lock (namespace, name, token, id, owner, granted_at, expires_at, state, promoted_at) KEY (namespace, name)
VALUES {each (:namespace, :name, :token, :id, :owner, :granted_at, :expires_at, :state, :promoted_at)}

-- name: write-shares
MERGE INTO holdfast_share (namespace, name, id, permits, permit_limit, token, owner, granted_at, expires_at, state)
KEY (namespace, name, id)
VALUES {each (:namespace, :name, :id, :permits, :permit_limit, :token, :owner, :granted_at, :expires_at, :state)}

-- name: write-waiters
MERGE INTO holdfast_waiter (namespace, name, position, id, owner, seen_at, permits, permit_limit, due_at) KEY (namespace, name, id)
VALUES {each (:namespace, :name, :position, :id, :owner, :seen_at, :permits, :permit_limit, :due_at)}

-- name: write-tombstones
-- An existing one may end later.
MERGE INTO holdfast_tombstone t
USING (VALUES {each (CAST(:namespace AS VARBINARY(64)), CAST(:name AS VARBINARY(1020)), CAST(:id AS VARBINARY(16)), CAST(:expires_at AS BIGINT))})
    v (namespace, name, id, expires_at)
ON t.namespace = v.namespace AND t.name = v.name AND t.id = v.id
WHEN MATCHED THEN UPDATE SET expires_at = CASE WHEN t.expires_at < v.expires_at THEN v.expires_at ELSE t.expires_at END
WHEN NOT MATCHED THEN INSERT (namespace, name, id, expires_at) VALUES (v.namespace, v.name, v.id, v.expires_at)
