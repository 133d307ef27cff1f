-- The tables of Fence in PostgreSQL, for the migrations of an application. Running it twice does no harm.
CREATE TABLE IF NOT EXISTS holdfast_fence (
    namespace  text COLLATE "C" NOT NULL,
    name       text COLLATE "C" NOT NULL, -- of the lock
    token      bigint           NOT NULL, -- the greatest that has entered
    entries    bigint           NOT NULL, -- the number of transactions that have entered
    entered_at timestamptz      NOT NULL, -- when the last one entered
    PRIMARY KEY (namespace, name)
) WITH (fillfactor = 70);

CREATE TABLE IF NOT EXISTS holdfast_fence_floor (
    namespace  text COLLATE "C" NOT NULL PRIMARY KEY,
    token      bigint           NOT NULL, -- no token of a pruned row exceeds it
    created_at timestamptz      NOT NULL
);

INSERT INTO holdfast_fence_floor (namespace, token, created_at)
VALUES ('default', 0, clock_timestamp()) ON CONFLICT DO NOTHING;
