package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.List;

/** Closes leases one after the other, and in the background once a store that does not answer has taken too long. */
final class PatientClose {

    /** The time that a caller that closes many leases waits for a store that does not answer, not counting one call. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private PatientClose() {}

    static void close(List<DefaultLease> leases, Clock clock) {
        DualClockInstant since = clock.now();
        for (DefaultLease lease : leases) {
            if (since.until(clock.now()).compareTo(PATIENCE) < 0) {
                lease.close();
            } else {
                lease.closeInBackground();
            }
        }
    }
}
