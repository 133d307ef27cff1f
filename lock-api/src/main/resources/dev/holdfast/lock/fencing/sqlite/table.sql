-- The tables of Fence in SQLite, for the migrations of an application. Running it twice does no harm.
CREATE TABLE IF NOT EXISTS holdfast_fence (
    namespace  TEXT COLLATE BINARY NOT NULL,
    name       TEXT COLLATE BINARY NOT NULL, -- of the lock
    token      INTEGER             NOT NULL, -- the greatest that has entered
    entries    INTEGER             NOT NULL, -- the number of transactions that have entered
    entered_at INTEGER             NOT NULL, -- when the last one entered, in milliseconds since 1970
    PRIMARY KEY (namespace, name)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS holdfast_fence_floor (
    namespace  TEXT COLLATE BINARY NOT NULL PRIMARY KEY,
    token      INTEGER             NOT NULL, -- no token of a pruned row exceeds it
    created_at INTEGER             NOT NULL  -- in milliseconds since 1970
) WITHOUT ROWID;

INSERT INTO holdfast_fence_floor (namespace, token, created_at)
VALUES ('default', 0, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)) ON CONFLICT DO NOTHING;
