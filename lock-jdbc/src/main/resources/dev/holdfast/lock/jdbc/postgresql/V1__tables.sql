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

-- One row: no token of a removed row was greater than this; and how far the removal of rows is.
CREATE TABLE IF NOT EXISTS holdfast_floor (
    one   integer     NOT NULL PRIMARY KEY CHECK (one = 1),
    token bigint      NOT NULL,
    page  bigint      NOT NULL DEFAULT 0,          -- of the tables, with which to go on; 0: a round begins
    round timestamptz NOT NULL DEFAULT '-infinity' -- when it may
) WITH (fillfactor = 50);

INSERT INTO holdfast_floor (one, token) VALUES (1, 0) ON CONFLICT DO NOTHING;

-- Who grants, in a namespace that belongs to a composite. A namespace without a row here belongs to whoever uses this database
-- alone: whoever does so looks each time whether there is a row, and so everybody may read this table.

-- One row for each namespace and bucket; there is one bucket as yet, 0.
CREATE TABLE IF NOT EXISTS holdfast_regime (
    namespace text COLLATE "C" NOT NULL,
    bucket    integer          NOT NULL,
    epoch     bigint           NOT NULL, -- from 1
    mode      text             NOT NULL, -- PRIMARY, DRAIN, FALLBACK, PREPARE
    lineage   text             NOT NULL, -- which history of the primary's; empty in DRAIN and FALLBACK
    lease     bigint           NOT NULL, -- microseconds for which an answer that says so may be acted upon
    base      bigint           NOT NULL, -- below every token that this epoch grants
    falls     integer          NOT NULL, -- how often in a row the primary fell within 60 leases of its coming to power; 1 if
                                         -- the last time it had been longer; only for how long to wait before the next try
    since     timestamptz      NOT NULL, -- when it became so
    cause     text             NOT NULL, -- why, for people
    PRIMARY KEY (namespace, bucket)
) WITH (fillfactor = 70);

GRANT SELECT ON holdfast_regime TO PUBLIC;

-- The processes that share a regime. Each writes its row whenever it reads the regime.
CREATE TABLE IF NOT EXISTS holdfast_member (
    namespace text COLLATE "C" NOT NULL,
    bucket    integer          NOT NULL,
    id        uuid             NOT NULL,
    owner     text             NOT NULL, -- what it says of itself
    suspected bigint           NOT NULL, -- the epoch whose primary it cannot reach; 0 for none
    seen      timestamptz      NOT NULL, -- when it last asked
    PRIMARY KEY (namespace, bucket, id)
) WITH (fillfactor = 70);
