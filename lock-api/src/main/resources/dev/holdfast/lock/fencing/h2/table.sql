-- The tables of Fence in H2, for the migrations of an application. Running it twice does no harm.
CREATE TABLE IF NOT EXISTS holdfast_fence (
    namespace  VARBINARY(64)               NOT NULL,
    name       VARBINARY(1020)             NOT NULL, -- of the lock, in UTF-8
    token      BIGINT                      NOT NULL, -- the greatest that has entered
    entries    BIGINT                      NOT NULL, -- the number of transactions that have entered
    entered_at TIMESTAMP(6) WITH TIME ZONE NOT NULL, -- when the last one entered
    PRIMARY KEY (namespace, name)
);

CREATE TABLE IF NOT EXISTS holdfast_fence_floor (
    namespace  VARBINARY(64)               NOT NULL PRIMARY KEY,
    token      BIGINT                      NOT NULL, -- no token of a pruned row exceeds it
    created_at TIMESTAMP(6) WITH TIME ZONE NOT NULL
);

INSERT INTO holdfast_fence_floor (namespace, token, created_at)
SELECT X'64656661756c74', 0, CURRENT_TIMESTAMP -- default
WHERE NOT EXISTS (SELECT 1 FROM holdfast_fence_floor WHERE namespace = X'64656661756c74');
