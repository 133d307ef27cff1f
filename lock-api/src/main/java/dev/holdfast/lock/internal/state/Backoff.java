package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.spi.support.Durations;
import java.time.Duration;
import java.util.function.LongSupplier;

/** How long to wait before asking again: exponential, bounded, and with jitter. Not thread-safe. */
public final class Backoff {

    private static final Duration BUSY_AT_LEAST = Duration.ofMillis(5);
    private static final Duration BUSY_AT_MOST = Duration.ofMillis(250);
    private static final Duration SILENT_FIRST = Duration.ofMillis(25);
    private static final Duration SILENT_AT_MOST = Duration.ofSeconds(1);

    private final LongSupplier random;
    private int busy;
    private int silent;

    Backoff(LongSupplier random) {
        this.random = random;
    }

    /**
     * The pause after a refusal: as long as the store advises. An advice below a quarter of a second grows up to fourfold with each
     * further refusal.
     */
    Duration busy(Duration retryAfter) {
        silent = 0;
        if (retryAfter.compareTo(BUSY_AT_MOST) > 0) {
            return spread(retryAfter.multipliedBy(4).dividedBy(5)); // never later than advised
        }
        Duration first = Durations.max(retryAfter, BUSY_AT_LEAST);
        return spread(Durations.min(first.multipliedBy(1L << Math.min(2, busy++ / 2)), BUSY_AT_MOST));
    }

    /** The pause after a call that was not answered. */
    public Duration silent() {
        return spread(Durations.min(SILENT_FIRST.multipliedBy(1L << Math.min(6, silent++)), SILENT_AT_MOST));
    }

    /** Jitter: between three quarters and five quarters of the pause. */
    Duration spread(Duration duration) {
        long nanos = duration.toNanos();
        return Duration.ofNanos(nanos - nanos / 4 + Math.floorMod(random.getAsLong(), nanos / 2 + 1));
    }
}
