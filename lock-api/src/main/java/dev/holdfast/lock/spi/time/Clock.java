package dev.holdfast.lock.spi.time;

import java.time.Instant;

/** Tells the time. */
@FunctionalInterface
public interface Clock {

    /** The clocks of this process. */
    Clock SYSTEM = () -> DualClockInstant.of(System.nanoTime(), Instant.now());

    /** The current instant. */
    DualClockInstant now();
}
