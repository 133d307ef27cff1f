package dev.holdfast.lock.spi;

import dev.holdfast.lock.LeaseKind;
import java.util.Collection;
import java.util.List;

/**
 * The part of a lock that a lease takes: a number of permits, of at most {@code limit} that are held at a time. Shares are compatible,
 * so that leases with them may last at the same time, if the sum of their permits is at most the lowest of their limits:
 *
 * <ul>
 *   <li>1 of 1 is {@linkplain #EXCLUSIVE exclusive}: no other lease lasts beside it.
 *   <li>1 of any number is {@linkplain #shared shared}: it excludes exclusive leases, and takes one permit beside those of a semaphore.
 *   <li><em>k</em> of <em>N</em> are permits of a semaphore.
 * </ul>
 *
 * @param permits at least 1
 * @param limit at least {@code permits}; {@link #UNLIMITED} for any number
 */
public record Share(int permits, int limit) {

    /** No limit: any number of permits may be held beside those of the share. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    /** The share of an exclusive lock, the only one for a store without {@link Capability#SHARES}. */
    public static final Share EXCLUSIVE = new Share(1, 1);

    private static final Share SHARED = new Share(1, UNLIMITED);

    /** @throws IllegalArgumentException if there is no permit, or there are more than the limit: it could never be granted */
    public Share {
        if (permits < 1) {
            throw new IllegalArgumentException("a share has at least 1 permit: " + permits);
        }
        if (permits > limit) {
            throw new IllegalArgumentException(
                    permits + " permits are more than the limit of " + limit + ", and could never be granted");
        }
    }

    /** The share of a reader: 1 of any number. */
    public static Share shared() {
        return SHARED;
    }

    /** Whether this is {@link #EXCLUSIVE}. */
    public boolean isExclusive() {
        return limit == 1;
    }

    /** The kind of a lease with this share. */
    public LeaseKind kind() {
        if (isExclusive()) {
            return LeaseKind.EXCLUSIVE;
        }
        return equals(SHARED) ? LeaseKind.SHARED : LeaseKind.PERMITS;
    }

    /** Whether these shares are compatible: leases with them may last at the same time. */
    public static boolean areCompatible(Collection<Share> shares) {
        return TakenPermits.of(shares).areCompatible();
    }

    /**
     * Refuses commands for shares other than {@link #EXCLUSIVE}. A store without {@link Capability#SHARES} calls this first in
     * {@link LockStore#execute}.
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

    /** For messages: {@code 1 of 1}, {@code 1 of any number}, {@code 2 of 4}. */
    @Override
    public String toString() {
        return permits + " of " + (limit == UNLIMITED ? "any number" : limit);
    }
}
