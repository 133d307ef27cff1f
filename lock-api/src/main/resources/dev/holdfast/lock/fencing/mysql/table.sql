-- The tables of Fence in MariaDB and MySQL, for the migrations of an application. Running it twice does no harm.
CREATE TABLE IF NOT EXISTS holdfast_fence (
    namespace  VARBINARY(64)   NOT NULL,
    name       VARBINARY(1020) NOT NULL, -- of the lock, in UTF-8
    token      BIGINT          NOT NULL, -- the greatest that has entered
    entries    BIGINT          NOT NULL, -- the number of transactions that have entered
    entered_at DATETIME(6)     NOT NULL, -- when the last one entered, in UTC
    PRIMARY KEY (namespace, name)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

CREATE TABLE IF NOT EXISTS holdfast_fence_floor (
    namespace  VARBINARY(64) NOT NULL PRIMARY KEY,
    token      BIGINT        NOT NULL, -- no token of a pruned row exceeds it
    created_at DATETIME(6)   NOT NULL  -- in UTC
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

INSERT IGNORE INTO holdfast_fence_floor (namespace, token, created_at) VALUES ('default', 0, UTC_TIMESTAMP(6));
