package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.DurationText;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Notices when the wall clock of this machine is set: many stores measure by it, but no rule does. Thread-safe. */
final class ClockWatch {

    /** The two clocks are read one after the other, and a thread may stand still between. */
    private static final Duration NOTICED = Duration.ofMillis(20);

    private final LongSupplier wallMillis;
    private final LongSupplier nanos;
    private final long wallMillisAtStart;
    private final long nanosAtStart;

    ClockWatch() {
        this(System::currentTimeMillis, System::nanoTime);
    }

    /** For tests. */
    ClockWatch(LongSupplier wallMillis, LongSupplier nanos) {
        this.wallMillis = wallMillis;
        this.nanos = nanos;
        this.wallMillisAtStart = wallMillis.getAsLong();
        this.nanosAtStart = nanos.getAsLong();
    }

    /** A remark for the report; empty if the clock was not set. */
    String remark() {
        Duration step = Duration.ofMillis(wallMillis.getAsLong() - wallMillisAtStart)
                .minusNanos(nanos.getAsLong() - nanosAtStart);
        return step.abs().compareTo(NOTICED) < 0
                ? ""
                : "; meanwhile the wall clock of this machine was set " + (step.isNegative() ? "back" : "forward")
                        + " by "
                        + DurationText.format(Duration.ofMillis(step.abs().toMillis()))
                        + ", which moves the times of a store that counts by it";
    }
}
