package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.spi.regime.Clock;
import dev.holdfast.lock.spi.regime.DualClockInstant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives leases back where nobody waits for it: to close one asks the store, which may be silent. */
final class AsyncReleaser {

    /** For how long a caller that closes many leases waits for a store that does not answer, one call aside. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(AsyncReleaser.class);

    private final Executor threads;
    private final Clock clock;

    /** @param threads may drop what comes after the locks were closed: nothing is held then */
    AsyncReleaser(Executor threads, Clock clock) {
        this.threads = threads;
        this.clock = clock;
    }

    /** Gives it back soon, on another thread. */
    void close(Lease lease) {
        try {
            threads.execute(lease::close);
        } catch (Throwable e) { // no thread to be had: better late than held for ever
            log.error("{} is given back on the thread at hand", lease, e);
            lease.close();
        }
    }

    /** Gives all of them back on this thread; on others what is left once that has taken too long. */
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
