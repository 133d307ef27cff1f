-- The tables of Holdfast in PostgreSQL. Run by Flyway, or by hand; running it twice does no harm.

-- A lock that was used lately. Rows that nobody used for a minute are removed. No index but the key, so that an update
-- stays within its page.
CREATE TABLE IF NOT EXISTS holdfast_lock (
    namespace text COLLATE "C" NOT NULL,
    name      text COLLATE "C" NOT NULL,
    token     bigint           NOT NULL, -- of the last grant; 0 before the first
    id        uuid,                      -- of the last grant
    owner     text             NOT NULL, -- what the last grant's holder said of itself
    since     timestamptz      NOT NULL, -- when it was granted
    until     timestamptz      NOT NULL, -- when the lease or the minimum hold ends; if free, when it became so
    state     text             NOT NULL, -- held; kept: given back, but busy for its minimum hold; free
    waiters   integer          NOT NULL, -- how many wait: rows of holdfast_waiter
    promoted  timestamptz,               -- when the first waiter became the first, if the lock was free by then
    PRIMARY KEY (namespace, name)
) WITH (fillfactor = 70);

-- Who waits for a lock. Read and written only by whoever has the lock's row locked; a waiter that died leaves its row to
-- the next who asks.
CREATE TABLE IF NOT EXISTS holdfast_waiter (
    namespace text COLLATE "C" NOT NULL,
    name      text COLLATE "C" NOT NULL,
    place     bigint           NOT NULL, -- in the queue: the least is the first
    id        uuid             NOT NULL,
    owner     text             NOT NULL, -- what the waiter said of itself
    seen      timestamptz      NOT NULL, -- when it last asked
    PRIMARY KEY (namespace, name, place)
) WITH (fillfactor = 70);

-- The id comes first, as nothing else in it tells the waiters of a lock apart.
CREATE UNIQUE INDEX IF NOT EXISTS holdfast_waiter_id ON holdfast_waiter (id, name, namespace);

-- Ids that were given up while a request of theirs may still be under way: it must not be granted.
CREATE TABLE IF NOT EXISTS holdfast_released (
    namespace text COLLATE "C" NOT NULL,
    name      text COLLATE "C" NOT NULL,
    id        uuid             NOT NULL,
    until     timestamptz      NOT NULL,
    PRIMARY KEY (namespace, name, id)
);

-- One row: no token of a removed row was greater than this.
CREATE TABLE IF NOT EXISTS holdfast_floor (
    one   integer NOT NULL PRIMARY KEY CHECK (one = 1),
    token bigint  NOT NULL
);

INSERT INTO holdfast_floor (one, token) VALUES (1, 0) ON CONFLICT DO NOTHING;
