-- The tables of Holdfast in SQLite. Run by Flyway, or by hand; running it twice does no harm.
-- Times are microseconds since 1970 by the machine's clock. Text is compared byte by byte.

-- One row, written at the end of this script: the version of the tables. A store compares it when it is opened. All versions read
-- these columns: they stay as they are.
CREATE TABLE IF NOT EXISTS holdfast_schema (
    singleton     INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
    version       INTEGER NOT NULL,
    oldest_client INTEGER NOT NULL -- the oldest version whose clients may use these tables
);

-- A lock that was used recently. A row that is idle for a minute is pruned.
CREATE TABLE IF NOT EXISTS holdfast_lock (
    namespace   TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    token       INTEGER NOT NULL, -- of the last grant; 0 before the first
    id          BLOB,             -- of the last grant
    owner       TEXT    NOT NULL, -- the description that the last holder gave of itself
    granted_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL, -- the end of the lease or of the minimum hold; if free, the time of the release
    state       TEXT    NOT NULL, -- held; minimum_hold: released, but busy until expires_at; free; shared: what counts is in
                                  -- holdfast_share, and expires_at is the last end there
    promoted_at INTEGER,          -- when the first waiter became the first, if that was since the last grant or release
    PRIMARY KEY (namespace, name)
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS holdfast_lock_expires_at ON holdfast_lock (expires_at);

-- The shares that are out of a lock with the state shared. They count only while the lock has that state.
CREATE TABLE IF NOT EXISTS holdfast_share (
    namespace    TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    id           BLOB    NOT NULL,
    permits      INTEGER NOT NULL,
    permit_limit INTEGER NOT NULL, -- how many permits may be out beside it, its own included
    token        INTEGER NOT NULL,
    owner        TEXT    NOT NULL, -- the description that the holder gave of itself
    granted_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL, -- the end of the lease or of the minimum hold
    state        TEXT    NOT NULL, -- held; minimum_hold: released, but out until expires_at
    PRIMARY KEY (namespace, name, id)
) WITHOUT ROWID;

-- The waiters of a lock. The row of a waiter that died is deleted by the next command that needs the queue. A waiter for another
-- share than 1 of 1 only waits for a lock with the state shared.
CREATE TABLE IF NOT EXISTS holdfast_waiter (
    namespace    TEXT    NOT NULL,
    name         TEXT    NOT NULL,
    position     INTEGER NOT NULL, -- in the queue, ascending
    id           BLOB    NOT NULL,
    owner        TEXT    NOT NULL, -- the description that the waiter gave of itself
    seen_at      INTEGER NOT NULL, -- the time of its last request
    permits      INTEGER NOT NULL DEFAULT 1, -- this and the next: the share for which it waits
    permit_limit INTEGER NOT NULL DEFAULT 1,
    due_at       INTEGER,          -- when its claim window began, at a lock with the state shared
    PRIMARY KEY (namespace, name, id)
) WITHOUT ROWID;

CREATE UNIQUE INDEX IF NOT EXISTS holdfast_waiter_position ON holdfast_waiter (namespace, name, position);

-- Ids that were given up while a request of theirs may still be in flight: such a request must not be granted.
CREATE TABLE IF NOT EXISTS holdfast_tombstone (
    namespace  TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    id         BLOB    NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (namespace, name, id)
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS holdfast_tombstone_expires_at ON holdfast_tombstone (expires_at);

-- One row: the token floor, which no token of a pruned row exceeded.
CREATE TABLE IF NOT EXISTS holdfast_token_floor (
    singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
    token     INTEGER NOT NULL
);

INSERT OR IGNORE INTO holdfast_token_floor (singleton, token) VALUES (1, 0);

INSERT OR IGNORE INTO holdfast_schema (singleton, version, oldest_client) VALUES (1, 1, 1);
