package dev.holdfast.lock.jdbc.server;

/** What runs a database server of the tests: a process, or a container. Its port stays the same when it is started again. */
interface DatabaseInstance extends AutoCloseable {

    /** The port on the loopback. */
    int port();

    /** Starts it, for the first time or after it was killed; it may not answer yet. */
    void start();

    /** Whether it has been started and has not ended. */
    boolean isAlive();

    /** Ends it as a crash would, and waits until it has ended. */
    void kill();

    /** Stops its processes where they are. */
    void freeze();

    /** Resumes them. */
    void thaw();

    /** What the server has logged so far. */
    String log();

    /** Ends it and removes what it left. */
    @Override
    void close();
}
