package dev.holdfast.lock.spi.failover;

/** A transition of the authority state, made only if the state is the one it starts from. */
public sealed interface Transition {

    /** The epoch from which it starts. */
    long epoch();

    /**
     * PRIMARY to DRAINING of the next epoch. The token base rises by {@link AuthorityState#TOKENS_PER_EPOCH}.
     *
     * @param cause the reason against the primary, for people
     */
    record DrainPrimary(long epoch, String cause) implements Transition {}

    /** DRAINING to FALLBACK of the same epoch. */
    record ActivateFallback(long epoch) implements Transition {}

    /**
     * FALLBACK to FAILING_BACK of the next epoch. From then on the authority grants, renews and releases nothing. The token base
     * becomes the greatest token that the authority ever granted, unless it is greater already. Refused with a
     * {@link dev.holdfast.lock.LockUnavailableException} if fewer than {@link AuthorityState#TOKENS_PER_EPOCH} tokens are left
     * above that.
     *
     * @param replicationId the replication history of the primary that is to grant
     */
    record BeginFailback(long epoch, String replicationId) implements Transition {}

    /** FAILING_BACK to PRIMARY of the same epoch. The copied leases are removed from the authority in the same instant. */
    record ActivatePrimary(long epoch) implements Transition {}

    /**
     * FAILING_BACK to FALLBACK of the next epoch. The authority grants again, from the leases it has.
     *
     * @param cause the reason why the primary was not activated, for people
     */
    record AbortFailback(long epoch, String cause) implements Transition {}
}
