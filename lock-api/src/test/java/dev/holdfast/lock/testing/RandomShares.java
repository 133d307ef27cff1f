package dev.holdfast.lock.testing;

import dev.holdfast.lock.DistributedLock;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.Share;
import java.util.List;
import java.util.Random;

/** Which shares of one lock are asked for, by chance: by writers, readers, and for some of three permits. */
public final class RandomShares {

    private static final int PERMITS = 3;

    private static final List<Share> ALL = List.of(
            Share.EXCLUSIVE,
            Share.shared(),
            Share.shared(),
            new Share(1, PERMITS),
            new Share(1, PERMITS),
            new Share(2, PERMITS),
            new Share(PERMITS, PERMITS));

    private RandomShares() {}

    public static Share next(Random random) {
        return ALL.get(random.nextInt(ALL.size()));
    }

    /** What an application uses to acquire this share. */
    public static DistributedLock lock(Locks locks, String name, Share share) {
        if (share.isExclusive()) {
            return locks.named(name);
        }
        return share.limit() == Share.UNLIMITED
                ? locks.named(name).shared()
                : locks.semaphore(name, share.limit()).permits(share.permits());
    }
}
