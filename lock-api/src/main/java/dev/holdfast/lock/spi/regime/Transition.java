package dev.holdfast.lock.spi.regime;

/** A change of the regime: made if the regime is the one it starts from, and not made otherwise. */
public sealed interface Transition {

    /** The epoch it starts from. */
    long epoch();

    /**
     * PRIMARY to DRAIN of the next epoch. The base rises by {@link Regime#TOKENS}.
     *
     * @param cause what speaks against the primary, for people
     */
    record Depose(long epoch, String cause) implements Transition {}

    /** DRAIN to FALLBACK of the same epoch. */
    record Open(long epoch) implements Transition {}

    /**
     * FALLBACK to PREPARE of the next epoch: once it is made, the authority grants, renews and releases nothing any more. The
     * base becomes the highest token that the authority ever granted, unless it is greater already. Refused with a
     * {@link dev.holdfast.lock.LockUnavailableException} if fewer than {@link Regime#TOKENS} tokens are left above that.
     *
     * @param lineage whose power is prepared
     */
    record Prepare(long epoch, String lineage) implements Transition {}

    /** PREPARE to PRIMARY of the same epoch; what was copied is removed from the authority in the same instant. */
    record Crown(long epoch) implements Transition {}

    /**
     * PREPARE to FALLBACK of the next epoch: the authority grants again, from what it has.
     *
     * @param cause why the primary did not come to power, for people
     */
    record Burn(long epoch, String cause) implements Transition {}
}
