package dev.holdfast.lock.tck.faults;

/**
 * Observes the data of one connection through a {@link FaultyProxy}, before a fault is applied to it. Called by one thread for
 * each direction.
 */
@FunctionalInterface
public interface TrafficObserver {

    /** Observes nothing. */
    TrafficObserver NONE = (direction, bytes, length) -> {};

    /**
     * Data was sent.
     *
     * @param bytes a buffer that is reused, of which the first {@code length} bytes were sent
     */
    void sent(Direction direction, byte[] bytes, int length);
}
