package dev.holdfast.lock.jdbc.fencing;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/** Work beside a test, on a thread of its own that keeps no run from ending. */
final class Background {

    private Background() {}

    /** Starts the work. */
    static <T> FutureTask<T> start(String name, Callable<T> work) {
        FutureTask<T> task = new FutureTask<>(work);
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return task;
    }
}
