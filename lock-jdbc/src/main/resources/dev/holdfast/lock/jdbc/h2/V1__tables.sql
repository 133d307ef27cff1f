-- The tables of Holdfast in H2. Run by Flyway, or by hand; running it twice does no harm.
-- Times are microseconds since 1970 by the database's clock. Namespaces and names are UTF-8, compared byte by byte.

-- One row, written at the end of this script: the version of the tables. A store compares it when it is opened. All versions read
-- these columns: they stay as they are.
CREATE TABLE IF NOT EXISTS holdfast_schema (
    singleton     INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
    version       INTEGER NOT NULL,
    oldest_client INTEGER NOT NULL -- the oldest version whose clients may use these tables
);

-- A lock that was used recently. A row that is idle for a minute is pruned.
CREATE TABLE IF NOT EXISTS holdfast_lock (
    namespace   VARBINARY(64)   NOT NULL,
    name        VARBINARY(1020) NOT NULL,
    token       BIGINT          NOT NULL, -- of the last grant; 0 before the first
    id          VARBINARY(16),            -- of the last grant
    owner       VARCHAR(255)    NOT NULL, -- the description that the last holder gave of itself
    granted_at  BIGINT          NOT NULL,
    expires_at  BIGINT          NOT NULL, -- the end of the lease or of the minimum hold; if free, the time of the release
    state       VARCHAR(16)     NOT NULL, -- held; minimum_hold: released, but busy until expires_at; free; shared: what counts is
                                          -- in holdfast_share, and expires_at is the last end there
    promoted_at BIGINT,                   -- when the first waiter became the first, if that was since the last grant or release
    PRIMARY KEY (namespace, name)
);

CREATE INDEX IF NOT EXISTS holdfast_lock_expires_at ON holdfast_lock (expires_at);

-- The shares that are out of a lock with the state shared. They count only while the lock has that state.
CREATE TABLE IF NOT EXISTS holdfast_share (
    namespace    VARBINARY(64)   NOT NULL,
    name         VARBINARY(1020) NOT NULL,
    id           VARBINARY(16)   NOT NULL,
    permits      INTEGER         NOT NULL,
    permit_limit INTEGER         NOT NULL, -- how many permits may be out beside it, its own included
    token        BIGINT          NOT NULL,
    owner        VARCHAR(255)    NOT NULL, -- the description that the holder gave of itself
    granted_at   BIGINT          NOT NULL,
    expires_at   BIGINT          NOT NULL, -- the end of the lease or of the minimum hold
    state        VARCHAR(16)     NOT NULL, -- held; minimum_hold: released, but out until expires_at
    PRIMARY KEY (namespace, name, id)
);

-- The waiters of a lock. The row of a waiter that died is deleted by the next command that needs the queue. A waiter for another
-- share than 1 of 1 only waits for a lock with the state shared.
CREATE TABLE IF NOT EXISTS holdfast_waiter (
    namespace    VARBINARY(64)   NOT NULL,
    name         VARBINARY(1020) NOT NULL,
    position     BIGINT          NOT NULL, -- in the queue, ascending
    id           VARBINARY(16)   NOT NULL,
    owner        VARCHAR(255)    NOT NULL, -- the description that the waiter gave of itself
    seen_at      BIGINT          NOT NULL, -- the time of its last request
    permits      INTEGER DEFAULT 1 NOT NULL, -- this and the next: the share for which it waits
    permit_limit INTEGER DEFAULT 1 NOT NULL,
    due_at       BIGINT,                   -- when its claim window began, at a lock with the state shared
    PRIMARY KEY (namespace, name, id)
);

CREATE INDEX IF NOT EXISTS holdfast_waiter_position ON holdfast_waiter (namespace, name, position);

-- Ids that were given up while a request of theirs may still be in flight: such a request must not be granted.
CREATE TABLE IF NOT EXISTS holdfast_tombstone (
    namespace  VARBINARY(64)   NOT NULL,
    name       VARBINARY(1020) NOT NULL,
    id         VARBINARY(16)   NOT NULL,
    expires_at BIGINT          NOT NULL,
    PRIMARY KEY (namespace, name, id)
);

CREATE INDEX IF NOT EXISTS holdfast_tombstone_expires_at ON holdfast_tombstone (expires_at);

-- One row: the token floor, which no token of a pruned row exceeded.
CREATE TABLE IF NOT EXISTS holdfast_token_floor (
    singleton INTEGER NOT NULL PRIMARY KEY CHECK (singleton = 1),
    token     BIGINT  NOT NULL
);

INSERT INTO holdfast_token_floor (singleton, token) SELECT 1, 0 WHERE NOT EXISTS (SELECT 1 FROM holdfast_token_floor);

INSERT INTO holdfast_schema (singleton, version, oldest_client) SELECT 1, 1, 1 WHERE NOT EXISTS (SELECT 1 FROM holdfast_schema);
