package dev.holdfast.lock.spi;

import dev.holdfast.lock.LeaseKind;
import java.util.Collection;
import java.util.List;

/**
 * The part of a lock that a lease takes: a number of permits, while at most {@code limit} are out. Leases may last at the same time if
 * their permits together are at most the least of their limits:
 *
 * <ul>
 *   <li>1 of 1 is {@linkplain #EXCLUSIVE exclusive}: no other lease lasts beside it.
 *   <li>1 of any number is {@linkplain #shared shared}: it excludes exclusive leases only.
 *   <li><em>k</em> of <em>N</em> are the permits of a semaphore. If processes ask with different limits, the least counts.
 * </ul>
 *
 * @param permits at least 1
 * @param limit at least {@code permits}; {@link #UNLIMITED} for any number
 */
public record Share(int permits, int limit) {

    /** The limit of a share that any number of others may be out beside. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    /** The share of an exclusive lock, the only one for a store without {@link Capability#SHARES}. */
    public static final Share EXCLUSIVE = new Share(1, 1);

    private static final Share SHARED = new Share(1, UNLIMITED);

    /** @throws IllegalArgumentException if there is no permit, or more than the limit, so that the share could never be granted */
    public Share {
        if (permits < 1) {
            throw new IllegalArgumentException("a share has at least 1 permit: " + permits);
        }
        if (permits > limit) {
            throw new IllegalArgumentException(
                    permits + " permits are more than the limit of " + limit + ", and could never be granted");
        }
    }

    /** The share of a reader, beside any number of others: 1 of any number. */
    public static Share shared() {
        return SHARED;
    }

    /** Whether this is {@link #EXCLUSIVE}. */
    public boolean isExclusive() {
        return limit == 1;
    }

    /** Whether this is the share of an exclusive lock, of a reader, or of a semaphore with several permits. */
    public LeaseKind kind() {
        if (isExclusive()) {
            return LeaseKind.EXCLUSIVE;
        }
        return equals(SHARED) ? LeaseKind.SHARED : LeaseKind.PERMITS;
    }

    /** Whether leases with these shares may last at the same time. */
    public static boolean areCompatible(Collection<Share> shares) {
        return TakenPermits.of(shares).areCompatible();
    }

    /**
     * Refuses shares on behalf of a store without {@link Capability#SHARES}, which calls this first in {@link LockStore#execute}.
     *
     * @throws UnsupportedOperationException if the share of a command is not {@link #EXCLUSIVE}
     */
    public static void requireExclusive(List<LockCommand> commands) {
        for (int at = 0; at < commands.size(); at++) {
            LockCommand command = commands.get(at);
            if (!command.share().isExclusive()) {
                throw new UnsupportedOperationException("this store keeps exclusive locks only: it cannot execute a"
                        + " command for a share of \"" + command.name() + "\" (" + command.share()
                        + "), as it does not have the capability SHARES");
            }
        }
    }

    /** For people: {@code 1 of 1}, {@code 1 of any number}, {@code 2 of 4}. */
    @Override
    public String toString() {
        return permits + " of " + (limit == UNLIMITED ? "any number" : limit);
    }
}
