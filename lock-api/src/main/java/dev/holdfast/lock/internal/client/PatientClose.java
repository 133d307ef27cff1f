package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.internal.engine.FirstFailure;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.List;

/**
 * Closes leases one after the other, and in the background once a store that does not answer has taken too long. A failure of one does
 * not keep the others from being closed.
 */
final class PatientClose {

    /** The time that a caller that closes many leases waits for a store that does not answer, not counting one call. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private PatientClose() {}

    static void close(List<DefaultLease> leases, Clock clock) {
        DualClockInstant since = clock.now();
        FirstFailure failure = new FirstFailure();
        for (DefaultLease lease : leases) {
            failure.of(since.until(clock.now()).compareTo(PATIENCE) < 0 ? lease::close : lease::closeInBackground);
        }
        failure.rethrow();
    }
}
