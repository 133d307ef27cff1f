package dev.holdfast.lock.spi;

import java.util.Collection;

/**
 * What several shares of a lock take together.
 *
 * @param permits the sum of their permits
 * @param limit the least of their limits
 */
public record TakenPermits(long permits, int limit) {

    /** Of no share. */
    public static final TakenPermits NONE = new TakenPermits(0, Share.UNLIMITED);

    /** Of these shares. */
    public static TakenPermits of(Collection<Share> shares) {
        TakenPermits taken = NONE;
        for (Share share : shares) {
            taken = taken.plus(share);
        }
        return taken;
    }

    /** Of these shares and one more. */
    public TakenPermits plus(Share share) {
        return new TakenPermits(permits + share.permits(), Math.min(limit, share.limit()));
    }

    /** Whether the shares are compatible: leases that have them may last at the same time. */
    public boolean areCompatible() {
        return permits <= limit;
    }
}
