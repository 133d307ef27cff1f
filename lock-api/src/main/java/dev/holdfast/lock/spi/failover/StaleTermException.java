package dev.holdfast.lock.spi.failover;

/**
 * A command was refused because its term is not in force at this store, or no longer. The command was not executed. Appears as
 * the cause of a {@link dev.holdfast.lock.spi.LockReply.Unavailable}.
 */
public final class StaleTermException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final boolean elsewhere;

    /** @param evidence the observation that led to the refusal, for people */
    public StaleTermException(String evidence) {
        this(evidence, false);
    }

    /**
     * As {@link #StaleTermException(String)}.
     *
     * @param elsewhere whether the command reached a server other than that of the term, which may be healthy
     */
    public StaleTermException(String evidence, boolean elsewhere) {
        super(evidence, null, false, false);
        this.elsewhere = elsewhere;
    }

    /** Whether the command reached a server other than that of the term: one of another replication history, or a replica. */
    public boolean isElsewhere() {
        return elsewhere;
    }
}
