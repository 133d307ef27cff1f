package dev.holdfast.lock.tck.faults;

/** Sees what is sent on one connection, before anything is done to it. Called by one thread for each direction. */
@FunctionalInterface
interface Observer {

    /** Sees nothing. */
    Observer NONE = (direction, bytes, length) -> {};

    /** @param bytes of which the first {@code length} were sent; used anew afterwards */
    void sees(Direction direction, byte[] bytes, int length);
}
