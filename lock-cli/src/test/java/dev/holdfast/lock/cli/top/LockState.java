package dev.holdfast.lock.cli.top;

import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Locks as a store would list them. */
final class LockState {

    static final Instant NOW = Instant.parse("2026-11-21T14:31:17Z");

    private LockState() {}

    /** Another grant for each id; since and until are in seconds from {@link #NOW}. */
    static LockInfo.Holder holder(long id, String owner, Share share, long since, long until) {
        return new LockInfo.Holder(
                new AcquisitionId(id, id), owner, id << 20, NOW.plusSeconds(since), NOW.plusSeconds(until), share);
    }

    /** Exclusive, with a lease that ends so many seconds after {@link #NOW}. */
    static LockInfo held(String name, long id, String owner, long since, long until, String... waiters) {
        return lock(name, List.of(holder(id, owner, Share.EXCLUSIVE, since, until)), waiters);
    }

    static LockInfo lock(String name, List<LockInfo.Holder> holders, String... waiters) {
        return new LockInfo(new LockName(name), holders, Optional.empty(), waiting(waiters));
    }

    static LockInfo kept(String name, long until, String... waiters) {
        return new LockInfo(new LockName(name), List.of(), Optional.of(NOW.plusSeconds(until)), waiting(waiters));
    }

    private static List<LockInfo.Waiter> waiting(String... owners) {
        return Stream.of(owners)
                .map(owner -> new LockInfo.Waiter(owner, Share.EXCLUSIVE))
                .toList();
    }

    /** So many seconds after {@link #NOW}. */
    static Snapshot at(double seconds, LockInfo... locks) {
        return new Snapshot(
                NOW.plus(Duration.ofMillis(Math.round(seconds * 1000))), "jdbc", Optional.empty(), List.of(locks));
    }
}
