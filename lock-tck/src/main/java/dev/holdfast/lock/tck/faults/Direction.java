package dev.holdfast.lock.tck.faults;

/** One of the two ways through a {@link FaultyProxy}. */
public enum Direction {
    /** What the client asks. */
    TO_SERVER,
    /** What the server answers. */
    TO_CLIENT
}
