package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spi.failover.Clock;
import dev.holdfast.lock.spi.failover.DualClockInstant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes leases on other threads where no caller waits for that: the close calls the store, which may not answer. */
final class AsyncReleaser {

    /** For how long a caller that closes many leases waits for a store that does not answer, not counting one call. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(AsyncReleaser.class);

    private final Executor threads;
    private final Clock clock;

    /** @param threads may drop tasks once the locks are closed: nothing is held then */
    AsyncReleaser(Executor threads, Clock clock) {
        this.threads = threads;
        this.clock = clock;
    }

    /** Closes it soon, on another thread. */
    void close(Lease lease) {
        try {
            threads.execute(lease::close);
        } catch (Throwable e) { // no thread available: close it on this one
            log.error("no thread is available: {} is released on the current thread", lease, e);
            lease.close();
        }
    }

    /** Closes all of them on this thread, or the rest on others once that takes too long. */
    void closePatiently(List<Lease> leases) {
        DualClockInstant since = clock.now();
        for (Lease lease : leases) {
            if (since.until(clock.now()).compareTo(PATIENCE) < 0) {
                lease.close();
            } else {
                close(lease);
            }
        }
    }
}
