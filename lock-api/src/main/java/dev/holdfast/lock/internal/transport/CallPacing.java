package dev.holdfast.lock.internal.transport;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many calls to the store pay at a time. A call to a store nearby costs mostly processor time, which the commands of a batch
 * share. A call to a store far away is mostly a wait, in which calls side by side do not hinder each other. Thread-safe.
 */
final class CallPacing {

    /** One more batch at a time for each: a call that a processor is busy with is shorter. */
    private static final long NANOS_PER_BATCH = 100_000;

    /** So few callers send their own commands faster than they would find each other in a batch. */
    private static final int SINGLE_CALLERS_PER_BATCH = 4;

    private static final int CALLERS_PER_BATCH = 16;

    /** So many calls with one command make one measurement: the shortest of them waited for nothing but the store. */
    private static final int WINDOW = 1_000;

    private final int maxCalls;
    private final int maxBatches;
    private final AtomicInteger calls = new AtomicInteger();
    private volatile long shortest = Long.MAX_VALUE;
    private volatile long shortestOfWindow = Long.MAX_VALUE;

    /** @param maxCalls how many calls the store allows */
    CallPacing(int maxCalls) {
        this.maxCalls = maxCalls;
        this.maxBatches = (1 + maxCalls) / 2;
    }

    /** A call with one command took this long. Two threads at a time may lose a measurement, of which there are many. */
    void measured(long nanos) {
        if (nanos < shortestOfWindow) {
            shortestOfWindow = nanos;
        }
        if (calls.incrementAndGet() % WINDOW == 0) {
            shortest = shortestOfWindow;
            shortestOfWindow = Long.MAX_VALUE;
        } else if (nanos < shortest) {
            shortest = nanos;
        }
    }

    /**
     * How many batches pay at a time.
     *
     * @param callers how many wait for a call: batches of many commands lose little if there are more of them, and the store is at
     *     work on one while this process delivers the replies to another
     */
    int batches(int callers) {
        return (int) Math.min(maxBatches, Math.max(1 + shortest / NANOS_PER_BATCH, callers / CALLERS_PER_BATCH));
    }

    /** How many batches may be under way at a time. */
    int maxBatches() {
        return maxBatches;
    }

    /** With how many callers each sends its own command; with more, all join batches. */
    int singleCallers() {
        int batches = batches(0);
        return batches == maxBatches ? maxCalls : Math.min(maxCalls, SINGLE_CALLERS_PER_BATCH * batches);
    }
}
