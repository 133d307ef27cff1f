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
