package dev.holdfast.lock.internal;

/** Tells the time. */
@FunctionalInterface
public interface Clock {

    /** The clocks of this process. */
    Clock SYSTEM = () -> new Moment(System.nanoTime(), System.currentTimeMillis());

    /** This instant, read before it is returned. */
    Moment now();
}
