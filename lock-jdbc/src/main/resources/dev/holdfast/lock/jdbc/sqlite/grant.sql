-- Gives a free lock to an id, with a token greater than every earlier one.
INSERT INTO holdfast_lock (namespace, name, token, id, owner, since, until, ended)
VALUES (?, ?, ?, ?, ?, ?, ?, 0)
ON CONFLICT (namespace, name) DO UPDATE
SET token = excluded.token, id = excluded.id, owner = excluded.owner, since = excluded.since, until = excluded.until,
    ended = 0
