package dev.holdfast.lock.redis;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many calls on behalf of callers a server answers best at a time: as many as keep it busy while one travels. With more they wait
 * for each other at the server, where commands of one call would share its work. The shortest of the last round trips of single
 * commands decides, as it has waited the least. Thread-safe.
 */
final class ParallelCalls {

    /** With more, their threads hinder each other, however long they travel. */
    static final int MAX = 8;

    /** The most that a single command takes of a processor, at both ends. */
    private static final long NANOS_PER_CALL = 25_000;

    /** Enough for one of them to have found the server idle. */
    static final int ROUND_TRIPS = 32;

    /** Fewer calls do not even use a server on the same machine. */
    private static final int MIN = 2;

    private final AtomicLong seen = new AtomicLong();
    private final AtomicLong shortest = new AtomicLong(Long.MAX_VALUE);
    private volatile int number = MAX;

    /** Takes the duration of a call with one command, the wait for a connection included. */
    void answered(long nanos) {
        shortest.accumulateAndGet(nanos, Math::min);
        if (seen.incrementAndGet() % ROUND_TRIPS == 0) {
            number = (int) Math.max(MIN, Math.min(MAX, shortest.getAndSet(Long.MAX_VALUE) / NANOS_PER_CALL));
        }
    }

    /** The number, between 2 and {@link #MAX}. {@link #MAX} before anything was measured. */
    int number() {
        return number;
    }
}
