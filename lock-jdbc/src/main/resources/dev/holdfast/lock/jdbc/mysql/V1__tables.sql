-- The tables of Holdfast in MariaDB and MySQL. Run by Flyway, or by hand; running it twice does no harm.
-- Times are microseconds since 1970 by the server's clock. Namespaces and names are UTF-8, compared byte by byte: a collation may
-- fold case and ignore blanks at the end. No index but primary keys is unique, as a check for duplicates locks gaps.

-- One row, written at the end of this script: the version of the tables. A store compares it when it is opened. All versions read
-- these columns: they stay as they are.
CREATE TABLE IF NOT EXISTS holdfast_schema (
    singleton     TINYINT NOT NULL PRIMARY KEY,
    version       INT     NOT NULL,
    oldest_client INT     NOT NULL -- the oldest version whose clients may use these tables
) ENGINE = InnoDB;

-- A lock that was used recently. A row that is idle for a minute is pruned.
CREATE TABLE IF NOT EXISTS holdfast_lock (
    namespace   VARBINARY(64)   NOT NULL,
    name        VARBINARY(1020) NOT NULL,
    token       BIGINT          NOT NULL, -- of the last grant; 0 before the first
    id          BINARY(16),               -- of the last grant
    owner       VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL, -- the description that the last holder gave of itself
    granted_at  BIGINT          NOT NULL,
    expires_at  BIGINT          NOT NULL, -- the end of the lease or of the minimum hold; if free, the time of the release
    state       VARCHAR(16) CHARACTER SET ascii NOT NULL, -- held; minimum_hold: released, but busy until expires_at; free; shared:
                                          -- what counts is in holdfast_share, and expires_at is the last end there
    promoted_at BIGINT,                   -- when the first waiter became the first, if that was since the last grant or release
    PRIMARY KEY (namespace, name),
    INDEX holdfast_lock_expires_at (expires_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- The shares that are out of a lock with the state shared. They count only while the lock has that state.
CREATE TABLE IF NOT EXISTS holdfast_share (
    namespace    VARBINARY(64)   NOT NULL,
    name         VARBINARY(1020) NOT NULL,
    id           BINARY(16)      NOT NULL,
    permits      INT             NOT NULL,
    permit_limit INT             NOT NULL, -- how many permits may be out beside it, its own included
    token        BIGINT          NOT NULL,
    owner        VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL, -- the description that the holder gave of itself
    granted_at   BIGINT          NOT NULL,
    expires_at   BIGINT          NOT NULL, -- the end of the lease or of the minimum hold
    state        VARCHAR(16) CHARACTER SET ascii NOT NULL, -- held; minimum_hold: released, but out until expires_at
    PRIMARY KEY (namespace, name, id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- The waiters of a lock. The row of a waiter that died is deleted by the next command that needs the queue. A waiter for another
-- share than 1 of 1 only waits for a lock with the state shared.
CREATE TABLE IF NOT EXISTS holdfast_waiter (
    namespace    VARBINARY(64)   NOT NULL,
    name         VARBINARY(1020) NOT NULL,
    position     BIGINT          NOT NULL, -- in the queue, ascending
    id           BINARY(16)      NOT NULL,
    owner        VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL, -- the description that the waiter gave of itself
    seen_at      BIGINT          NOT NULL, -- the time of its last request
    permits      INT             NOT NULL DEFAULT 1, -- this and the next: the share for which it waits
    permit_limit INT             NOT NULL DEFAULT 1,
    due_at       BIGINT,                   -- when its claim window began, at a lock with the state shared
    PRIMARY KEY (namespace, name, id),
    INDEX holdfast_waiter_position (namespace, name, position)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- Ids that were given up while a request of theirs may still be in flight: such a request must not be granted.
CREATE TABLE IF NOT EXISTS holdfast_tombstone (
    namespace  VARBINARY(64)   NOT NULL,
    name       VARBINARY(1020) NOT NULL,
    id         BINARY(16)      NOT NULL,
    expires_at BIGINT          NOT NULL,
    PRIMARY KEY (namespace, name, id),
    INDEX holdfast_tombstone_expires_at (expires_at)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- One row: the token floor, which no token of a pruned row exceeded.
CREATE TABLE IF NOT EXISTS holdfast_token_floor (
    singleton TINYINT NOT NULL PRIMARY KEY,
    token     BIGINT  NOT NULL
) ENGINE = InnoDB;

INSERT IGNORE INTO holdfast_token_floor (singleton, token) VALUES (1, 0);

INSERT IGNORE INTO holdfast_schema (singleton, version, oldest_client) VALUES (1, 1, 1);
