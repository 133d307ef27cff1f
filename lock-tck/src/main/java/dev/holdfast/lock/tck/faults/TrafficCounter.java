package dev.holdfast.lock.tck.faults;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Counts connections, bytes and round trips through a {@link FaultyProxy}: {@code new FaultyProxy(server,
 * counter::newConnection)}. Knows no protocol: data from the client after data from the server, or at the beginning of a
 * connection, begins a round trip. Thread-safe.
 */
public final class TrafficCounter {

    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicLong toServer = new AtomicLong();
    private final AtomicLong toClient = new AtomicLong();
    private final AtomicLong roundTrips = new AtomicLong();

    /** Starts at zero. */
    public TrafficCounter() {}

    /** Observes one more connection. */
    public TrafficObserver newConnection() {
        connections.incrementAndGet();
        AtomicReference<@Nullable Direction> last = new AtomicReference<>();
        return (direction, bytes, length) -> {
            (direction == Direction.TO_SERVER ? toServer : toClient).addAndGet(length);
            if (last.getAndSet(direction) != direction && direction == Direction.TO_SERVER) {
                roundTrips.incrementAndGet();
            }
        };
    }

    /** The number of connections so far, refused ones included. */
    public int connections() {
        return connections.get();
    }

    /** The number of bytes sent in this direction so far. */
    public long bytes(Direction direction) {
        return (direction == Direction.TO_SERVER ? toServer : toClient).get();
    }

    /** The number of round trips begun so far. */
    public long roundTrips() {
        return roundTrips.get();
    }
}
