-- Gives a free lock to an id, with a token greater than every earlier one.
INSERT INTO holdfast_lock (namespace, name, token, id, owner, since, until, state)
VALUES (?, ?, ?, ?, ?, ?, ?, 'held')
ON CONFLICT (namespace, name) DO UPDATE
SET token = excluded.token, id = excluded.id, owner = excluded.owner, since = excluded.since, until = excluded.until,
    state = excluded.state, promoted = NULL
