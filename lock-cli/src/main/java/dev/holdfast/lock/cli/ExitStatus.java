package dev.holdfast.lock.cli;

/** What {@code lock} itself ends with; anything else is the command's. Numbers of sysexits(3) where there is one. */
final class ExitStatus {

    /** The command line is wrong. */
    static final int USAGE = 64;
    /** The store cannot be reached, or the command cannot be watched. */
    static final int UNAVAILABLE = 69;
    /** A mistake in {@code lock} itself. */
    static final int INTERNAL = 70;
    /** Standard output cannot be written, or whoever is asked cannot be read. */
    static final int STREAMS = 74;
    /** Somebody else held the lock for as long as was to be waited. */
    static final int BUSY = 75;
    /** The lock was lost while the command ran, and the command was ended. */
    static final int LOST = 76;
    /** The configuration is wrong. */
    static final int CONFIGURATION = 78;

    private ExitStatus() {}
}
