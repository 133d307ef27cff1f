package dev.holdfast.lock.spi.failover;

/** Tells the time. */
@FunctionalInterface
public interface Clock {

    /** The clocks of this process. */
    Clock SYSTEM = () -> new DualClockInstant(System.nanoTime(), System.currentTimeMillis());

    /** This instant, read before it is returned. */
    DualClockInstant now();
}
