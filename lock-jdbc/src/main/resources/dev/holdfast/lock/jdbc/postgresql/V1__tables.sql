-- The tables of Holdfast in PostgreSQL. Run by Flyway, or by hand; running it twice does no harm.

-- One row, written at the end of this script: the version of the tables, and which functions there are, which functions.sql
-- writes. A store compares them when it is opened, so every role may read them. All versions read these columns, and the function
-- holdfast_fingerprint: they stay as they are.
CREATE TABLE IF NOT EXISTS holdfast_schema (
    singleton        integer NOT NULL PRIMARY KEY CHECK (singleton = 1),
    version          integer NOT NULL,
    oldest_client    integer NOT NULL,            -- the oldest version whose clients may use these tables
    functions        text    NOT NULL DEFAULT '', -- the fingerprint of the functions; empty until they are created
    functions_script text    NOT NULL DEFAULT ''  -- the SHA-256 of the text that created them
);

GRANT SELECT ON holdfast_schema TO PUBLIC;

-- A lock that was used recently. A row that is idle for a minute is pruned. The primary key is the only index, so that an
-- update stays within its page.
CREATE TABLE IF NOT EXISTS holdfast_lock (
    namespace    text COLLATE "C" NOT NULL,
    name         text COLLATE "C" NOT NULL,
    token        bigint           NOT NULL, -- of the last grant; 0 before the first
    id           uuid,                      -- of the last grant
    owner        text             NOT NULL, -- the description that the last holder gave of itself
    granted_at   timestamptz      NOT NULL,
    expires_at   timestamptz      NOT NULL, -- the end of the lease or of the minimum hold; if free, the time of the release
    state        text             NOT NULL, -- held; minimum_hold: released, but busy until expires_at; free; shared: what counts is
                                            -- in holdfast_share, and expires_at is the last end there
    waiter_count integer          NOT NULL, -- the number of rows in holdfast_waiter
    promoted_at  timestamptz,               -- when the first waiter became the first, if the lock was free by then; null if shared
    PRIMARY KEY (namespace, name)
) WITH (fillfactor = 70);

-- The shares that are out of a lock with the state shared, and those that have ended since its last grant. They count only while
-- the lock has that state. A transaction reads and writes them only while it has the lock's row locked.
CREATE TABLE IF NOT EXISTS holdfast_share (
    namespace    text COLLATE "C" NOT NULL,
    name         text COLLATE "C" NOT NULL,
    id           uuid             NOT NULL,
    permits      integer          NOT NULL,
    permit_limit integer          NOT NULL, -- how many permits may be out beside it, its own included
    token        bigint           NOT NULL,
    owner        text             NOT NULL, -- the description that the holder gave of itself
    granted_at   timestamptz      NOT NULL,
    expires_at   timestamptz      NOT NULL, -- the end of the lease or of the minimum hold
    state        text             NOT NULL, -- held; minimum_hold: released, but out until expires_at
    PRIMARY KEY (namespace, name, id)
) WITH (fillfactor = 70);

-- The waiters of a lock. A transaction reads and writes them only while it has the lock's row locked. The row of a waiter that
-- died is deleted by the next command that needs the queue. A waiter for another share than 1 of 1 only waits for a lock with the
-- state shared.
CREATE TABLE IF NOT EXISTS holdfast_waiter (
    namespace    text COLLATE "C" NOT NULL,
    name         text COLLATE "C" NOT NULL,
    position     bigint           NOT NULL, -- in the queue, ascending
    id           uuid             NOT NULL,
    owner        text             NOT NULL, -- the description that the waiter gave of itself
    seen_at      timestamptz      NOT NULL, -- the time of its last request
    permits      integer          NOT NULL DEFAULT 1, -- this and the next: the share for which it waits
    permit_limit integer          NOT NULL DEFAULT 1,
    due_at       timestamptz,               -- when its claim window began, at a lock with the state shared
    PRIMARY KEY (namespace, name, position)
) WITH (fillfactor = 70);

-- The id comes first, as nothing else in the index tells the waiters of one lock apart.
CREATE UNIQUE INDEX IF NOT EXISTS holdfast_waiter_id ON holdfast_waiter (id, name, namespace);

-- Ids that were given up while a request of theirs may still be in flight: such a request must not be granted.
CREATE TABLE IF NOT EXISTS holdfast_tombstone (
    namespace  text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL,
    id         uuid             NOT NULL,
    expires_at timestamptz      NOT NULL,
    PRIMARY KEY (namespace, name, id)
);

-- One row: the token floor, which no token of a pruned row exceeded; and the progress of pruning.
CREATE TABLE IF NOT EXISTS holdfast_token_floor (
    singleton  integer     NOT NULL PRIMARY KEY CHECK (singleton = 1),
    token      bigint      NOT NULL,
    prune_page bigint      NOT NULL DEFAULT 0,          -- the next page of the tables to prune; 0: at the start of a round
    prune_at   timestamptz NOT NULL DEFAULT '-infinity' -- when the next round may start
) WITH (fillfactor = 50);

INSERT INTO holdfast_token_floor (singleton, token) VALUES (1, 0) ON CONFLICT DO NOTHING;

-- The authority state of a namespace that belongs to a composite: which store grants. A namespace without a row belongs to
-- stores that use this database alone. Those check for a row with every batch, so every role may read this table.
--
-- One row per namespace and bucket; the only bucket so far is 0.
CREATE TABLE IF NOT EXISTS holdfast_authority_state (
    namespace       text COLLATE "C" NOT NULL,
    bucket          integer          NOT NULL,
    epoch           bigint           NOT NULL, -- from 1
    phase           text             NOT NULL, -- PRIMARY, DRAINING, FALLBACK, FAILING_BACK
    replication_id  text             NOT NULL, -- the history of the primary; empty in DRAINING and FALLBACK
    authority_lease bigint           NOT NULL, -- microseconds for which a process may rely on what it read here
    token_base      bigint           NOT NULL, -- below every token that this epoch grants
    failure_count   integer          NOT NULL, -- consecutive failures of the primary within 60 authority leases of its
                                               -- activation; 1 if it lasted longer; decides only the wait before the next try
    changed_at      timestamptz      NOT NULL,
    cause           text             NOT NULL, -- of the last transition, for people
    PRIMARY KEY (namespace, bucket)
) WITH (fillfactor = 70);

GRANT SELECT ON holdfast_authority_state TO PUBLIC;

-- The processes that share an authority state. Each writes its row whenever it reads the state.
CREATE TABLE IF NOT EXISTS holdfast_member (
    namespace       text COLLATE "C" NOT NULL,
    bucket          integer          NOT NULL,
    id              uuid             NOT NULL,
    owner           text             NOT NULL, -- the description that the process gave of itself
    suspected_epoch bigint           NOT NULL, -- the epoch whose primary the process cannot reach; 0 for none
    seen_at         timestamptz      NOT NULL, -- the time of its last request
    PRIMARY KEY (namespace, bucket, id)
) WITH (fillfactor = 70);

INSERT INTO holdfast_schema (singleton, version, oldest_client) VALUES (1, 1, 1) ON CONFLICT DO NOTHING;
