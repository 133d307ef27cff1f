package dev.holdfast.lock.spi;

import java.util.Collection;

/**
 * The permits that several shares of a lock take together.
 *
 * @param permits the sum of their permits
 * @param limit the lowest of their limits
 */
public record TakenPermits(long permits, int limit) {

    /** The permits of no share. */
    public static final TakenPermits NONE = new TakenPermits(0, Share.UNLIMITED);

    /** The permits of these shares. */
    public static TakenPermits of(Collection<Share> shares) {
        TakenPermits taken = NONE;
        for (Share share : shares) {
            taken = taken.plus(share);
        }
        return taken;
    }

    /** The permits of these shares and one more. */
    public TakenPermits plus(Share share) {
        return new TakenPermits(permits + share.permits(), Math.min(limit, share.limit()));
    }

    /** Whether the shares are compatible: leases that have them may last at the same time. */
    public boolean areCompatible() {
        return permits <= limit;
    }
}
