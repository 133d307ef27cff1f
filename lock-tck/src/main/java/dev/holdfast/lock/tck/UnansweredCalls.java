package dev.holdfast.lock.tck;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The end of calls that run at once at a store that does not respond. Counts pauses instead of reading a clock, so that a stalled
 * machine does not count.
 */
final class UnansweredCalls {

    /** The timeout of each of the calls. */
    static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** Enough calls that their timeouts, two at a time, exceed {@link #MAX_TICKS} even if each tick takes twice as long. */
    static final int MANY = 120;

    private static final Duration TICK = Duration.ofMillis(50);

    /**
     * 25 times {@link #TIMEOUT}: a store may ask several servers, or round up, and its thread may be held up where this one is not, as by
     * a disk or a terminal that does not take its log. Below the half minute that many a pool waits by default.
     */
    private static final int MAX_TICKS = 500;

    private int ticks;

    /**
     * Awaits the end of one of the calls.
     *
     * @param what the call, for people
     * @param stack where it is
     */
    void awaitEnd(String what, BooleanSupplier isOver, Supplier<String> stack) {
        for (; !isOver.getAsBoolean(); ticks++) {
            if (ticks > MAX_TICKS) {
                throw new RuleBroken("the store does not respond, and " + what + " with a timeout of " + TIMEOUT
                        + " is still running after " + TICK.multipliedBy(ticks) + ": " + stack.get());
            }
            Kit.pause(TICK);
        }
    }
}
