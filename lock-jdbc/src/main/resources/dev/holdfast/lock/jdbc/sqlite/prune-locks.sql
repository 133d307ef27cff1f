-- Removes a few rows of locks that nobody used for a while, and tells their tokens: the floor rises in this transaction.
DELETE FROM holdfast_lock WHERE (namespace, name) IN
    (SELECT namespace, name FROM holdfast_lock WHERE until < ? LIMIT 20)
RETURNING token
