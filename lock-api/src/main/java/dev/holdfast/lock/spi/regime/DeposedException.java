package dev.holdfast.lock.spi.regime;

/**
 * A step was refused because it was asked under a regime that is not, or no longer, in power there. It was not carried out: the
 * {@code why} of an {@link dev.holdfast.lock.spi.Answer.Unavailable}.
 */
public final class DeposedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final boolean elsewhere;

    /** @param evidence what was found instead, for people */
    public DeposedException(String evidence) {
        this(evidence, false);
    }

    /**
     * As {@link #DeposedException(String)}.
     *
     * @param elsewhere whether it was asked of another server than the one that is in power, which may be well
     */
    public DeposedException(String evidence, boolean elsewhere) {
        super(evidence, null, false, false);
        this.elsewhere = elsewhere;
    }

    /** Whether it was asked of another server than the one that is in power: one that is of another lineage, or a replica. */
    public boolean isElsewhere() {
        return elsewhere;
    }
}
