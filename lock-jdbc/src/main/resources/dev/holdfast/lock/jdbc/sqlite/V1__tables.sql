-- The tables of Holdfast in SQLite. Run by Flyway, or by hand; running it twice does no harm.
-- Times are microseconds since 1970 by the machine's clock. Text is compared byte by byte.

-- A lock that was used lately. Rows that nobody used for a minute are removed.
CREATE TABLE IF NOT EXISTS holdfast_lock (
    namespace TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    token     INTEGER NOT NULL, -- of the last grant; 0 before the first
    id        BLOB,             -- of the last grant
    owner     TEXT    NOT NULL, -- what the last grant's holder said of itself
    since     INTEGER NOT NULL, -- when it was granted
    until     INTEGER NOT NULL, -- when the lease or the minimum hold ends; if free, when it became so
    state     TEXT    NOT NULL, -- held; kept: given back, but busy for its minimum hold; free
    promoted  INTEGER,          -- when the first waiter became the first, if that was since the last grant or release
    PRIMARY KEY (namespace, name)
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS holdfast_lock_until ON holdfast_lock (until);

-- Who waits for a lock. A waiter that died leaves its row to the next who asks.
CREATE TABLE IF NOT EXISTS holdfast_waiter (
    namespace TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    place     INTEGER NOT NULL, -- in the queue: the least is the first
    id        BLOB    NOT NULL,
    owner     TEXT    NOT NULL, -- what the waiter said of itself
    seen      INTEGER NOT NULL, -- when it last asked
    PRIMARY KEY (namespace, name, id)
) WITHOUT ROWID;

CREATE UNIQUE INDEX IF NOT EXISTS holdfast_waiter_place ON holdfast_waiter (namespace, name, place);

-- Ids that were given up while a request of theirs may still be under way: it must not be granted.
CREATE TABLE IF NOT EXISTS holdfast_released (
    namespace TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    id        BLOB    NOT NULL,
    until     INTEGER NOT NULL,
    PRIMARY KEY (namespace, name, id)
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS holdfast_released_until ON holdfast_released (until);

-- One row: no token of a removed row was greater than this.
CREATE TABLE IF NOT EXISTS holdfast_floor (
    one   INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    token INTEGER NOT NULL
);

INSERT OR IGNORE INTO holdfast_floor (one, token) VALUES (1, 0);
