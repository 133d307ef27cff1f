package dev.holdfast.lock.tck.faults;

/** A direction through a {@link FaultyProxy}. */
public enum Direction {
    /** From the client to the server. */
    TO_SERVER,
    /** From the server to the client. */
    TO_CLIENT
}
