package dev.holdfast.lock.jdbc;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;

/** Each test has tables of its own, and as many threads as it asks for. */
public abstract class ManyThreads {

    protected final Postgres database = Postgres.withTables();
    protected final ExecutorService threads = Executors.newCachedThreadPool();

    /** For subclasses. */
    protected ManyThreads() {}

    @AfterEach
    final void stopThreads() {
        threads.shutdownNow();
    }
}
