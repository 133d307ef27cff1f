package dev.holdfast.lock.internal.time;

import java.util.concurrent.Executor;

/** The timers and threads of one {@code Locks}. Thread-safe. */
public interface Threads extends Timers, AutoCloseable {

    /** A bounded number of threads that share one queue. */
    Executor pool(String name, int size);

    /** As many threads as there are tasks at a time; none when idle. Tasks after the close run on threads that then end. */
    Executor asNeeded(String name);

    /** Running tasks end; later tasks of pools and timers are dropped. */
    @Override
    void close();
}
