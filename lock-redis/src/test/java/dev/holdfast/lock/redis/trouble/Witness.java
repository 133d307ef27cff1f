package dev.holdfast.lock.redis.trouble;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.pulse.Always;
import dev.holdfast.lock.redis.server.Awaiting;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Sees the leases of all names, in this one process whose clock all holders share. */
final class Witness {

    private final Map<String, Seen> seen = new ConcurrentHashMap<>();

    /** A lease that was granted just now: nobody else holds the lock, and its token is greater than any before. */
    void sees(Lease lease) {
        of(lease.name()).sees(lease, true);
    }

    /** The same where the store may forget a holder, who is told so: only the token is looked at. */
    void seesToken(Lease lease) {
        of(lease.name()).sees(lease, false);
    }

    /** How many leases of a name it has seen. */
    int count(String name) {
        return of(name).count();
    }

    /** Waits until each of these names is granted some times more, by itself. */
    void awaitProgress(Collection<String> names, String when) {
        Map<String, Integer> before = new HashMap<>();
        names.forEach(name -> before.put(name, count(name)));
        Awaiting.until(
                "every name is granted again " + when,
                () -> names.stream().allMatch(name -> count(name) > before.get(name) + 3));
    }

    private Seen of(String name) {
        return seen.computeIfAbsent(name, any -> new Seen());
    }

    private static final class Seen {
        private final ReentrantLock turn = new ReentrantLock();
        private @Nullable Lease latest;
        private int count;

        void sees(Lease lease, boolean alone) {
            turn.lock();
            try {
                if (!lease.isHeld()) {
                    return; // lost on its way here
                }
                Lease before = latest;
                if (before != null) {
                    if (alone) {
                        Always.holds(() -> assertThat(before.isHeld())
                                .as("the lease of %s before this one is still held", lease.name())
                                .isFalse());
                    }
                    Always.holds(() -> assertThat(lease.fencingToken())
                            .as("token of " + lease.name())
                            .isGreaterThan(before.fencingToken()));
                }
                latest = lease;
                count++;
            } finally {
                turn.unlock();
            }
        }

        int count() {
            turn.lock();
            try {
                return count;
            } finally {
                turn.unlock();
            }
        }
    }
}
