-- The table of Fence in H2, for the migrations of an application. Running it twice does no harm.
CREATE TABLE IF NOT EXISTS holdfast_fence (
    namespace  VARBINARY(64)               NOT NULL,
    name       VARBINARY(1020)             NOT NULL, -- of the lock, in UTF-8; empty: the floor, which no token of a pruned row exceeds
    token      BIGINT                      NOT NULL, -- the greatest that has entered
    entries    BIGINT                      NOT NULL, -- the number of transactions that have entered
    entered_at TIMESTAMP(6) WITH TIME ZONE NOT NULL, -- when the last one entered
    PRIMARY KEY (namespace, name)
);
