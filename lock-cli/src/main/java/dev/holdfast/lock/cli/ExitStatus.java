package dev.holdfast.lock.cli;

/** The exit statuses of {@code lock} itself; any other is the command's. Numbers from sysexits(3) where one fits. */
final class ExitStatus {

    /** The command line is wrong. */
    static final int USAGE = 64;
    /** The store cannot be reached, or the command cannot be watched. */
    static final int UNAVAILABLE = 69;
    /** A bug in {@code lock}. */
    static final int INTERNAL = 70;
    /** Standard output cannot be written, or the answer to a question cannot be read. */
    static final int STREAMS = 74;
    /** The lock stayed busy for the whole wait. */
    static final int BUSY = 75;
    /** The lock was lost while the command ran, and the command was terminated. */
    static final int LOST = 76;
    /** The reader of standard output has ended: the status of programs that SIGPIPE ends. */
    static final int PIPE = 141;
    /** The configuration is wrong. */
    static final int CONFIGURATION = 78;

    private ExitStatus() {}
}
