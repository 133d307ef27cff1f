package dev.holdfast.lock.redis;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How many calls on behalf of callers a server answers best at a time. With too few, client and server wait for each other; with too
 * many, calls wait for each other at the server, where commands of one call would share its work. Single calls are as many as keep the
 * server busy while one travels: the shortest of the last round trips of single commands decides, as it has waited the least. Batches,
 * of which the engine has half as many under way, are as many as the callers' commands fill. Thread-safe.
 */
final class ParallelCalls {

    /** With more, their threads hinder each other, however long they travel. */
    static final int MAX = 8;

    /** Two batches: one is decided while the callers of the other read their replies and ask anew. */
    static final int MIN = 3;

    /** The most that a single command takes of a processor, at both ends. */
    private static final long NANOS_PER_CALL = 25_000;

    /** Commands of a larger batch hardly cost less. */
    static final int FULL_BATCH = 8;

    /** So many calls that one of them is likely to have found the server idle. */
    static final int WINDOW = 32;

    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger mostUnderWay = new AtomicInteger();
    private final AtomicLong seen = new AtomicLong();
    private final AtomicLong shortest = new AtomicLong(Long.MAX_VALUE);
    private volatile int single = MAX;
    private volatile int number = MAX;

    /** A call with this many commands begins. Followed by {@link #ended}. */
    void began(int commands) {
        mostUnderWay.accumulateAndGet(underWay.addAndGet(commands), Math::max);
    }

    /**
     * A call with this many commands has ended.
     *
     * @param nanos its duration, the wait for a connection included
     */
    void ended(int commands, long nanos) {
        underWay.addAndGet(-commands);
        if (commands == 1) {
            shortest.accumulateAndGet(nanos, Math::min);
        }
        if (seen.incrementAndGet() % WINDOW == 0) {
            long least = shortest.getAndSet(Long.MAX_VALUE);
            if (least != Long.MAX_VALUE) {
                single = (int) Math.min(MAX, least / NANOS_PER_CALL);
            }
            int fullBatches = mostUnderWay.getAndSet(0) / FULL_BATCH;
            number = Math.max(MIN, Math.min(MAX, Math.max(single, 2 * fullBatches - 1)));
        }
    }

    /** The number, from {@link #MIN} to {@link #MAX}. {@link #MAX} before anything was measured. */
    int number() {
        return number;
    }
}
