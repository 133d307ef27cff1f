package dev.holdfast.lock.locks;

import dev.holdfast.lock.internal.time.DaemonThreads;
import dev.holdfast.lock.internal.time.Threads;
import java.time.Duration;
import java.util.concurrent.Executor;

/** The usual threads, for tests that change some of them. */
abstract class ForwardingThreads implements Threads {

    private final DaemonThreads threads = new DaemonThreads();

    @Override
    public Timer after(Duration delay, Runnable task) {
        return threads.after(delay, task);
    }

    @Override
    public Executor pool(String name, int size) {
        return threads.pool(name, size);
    }

    @Override
    public Executor asNeeded(String name) {
        return threads.asNeeded(name);
    }

    @Override
    public void close() {
        threads.close();
    }
}
