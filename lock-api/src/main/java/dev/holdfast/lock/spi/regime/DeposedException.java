package dev.holdfast.lock.spi.regime;

/**
 * A step was refused because it was asked under a regime that is not, or no longer, in power there. It was not carried out: the
 * {@code why} of an {@link dev.holdfast.lock.spi.Answer.Unavailable}.
 */
public final class DeposedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** @param evidence what was found instead, for people */
    public DeposedException(String evidence) {
        super(evidence, null, false, false);
    }
}
