package dev.holdfast.lock.tck.faults;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Counts how often a client of a {@link FaultyProxy} waited for replies before it sent more: the round trips of all connections.
 * Where each direction has a delay of some milliseconds, requests that are sent one after the other, without waiting for the
 * replies in between, count once. Thread-safe.
 *
 * <pre>{@code
 * TurnaroundCounter turnarounds = new TurnaroundCounter();
 * FaultyProxy proxy = new FaultyProxy(server, turnarounds);
 * }</pre>
 */
public final class TurnaroundCounter implements Supplier<TrafficObserver> {

    private final AtomicInteger count = new AtomicInteger();

    /** A counter at zero. */
    public TurnaroundCounter() {}

    /** The round trips so far. */
    public int count() {
        return count.get();
    }

    /** The observer of one connection, for the proxy. */
    @Override
    public TrafficObserver get() {
        AtomicBoolean isReply = new AtomicBoolean(true);
        return (direction, bytes, length) -> {
            boolean isReplyNow = direction == Direction.TO_CLIENT;
            if (isReply.getAndSet(isReplyNow) && !isReplyNow) {
                count.incrementAndGet();
            }
        };
    }
}
