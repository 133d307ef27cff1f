package dev.holdfast.lock.tck;

import dev.holdfast.lock.spi.support.DurationText;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Notices that the wall clock of this machine is set, by which many stores count, and by which no rule does. Thread-safe. */
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

    /** What a report adds; empty if the clock went on as it should. */
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
