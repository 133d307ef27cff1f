package dev.holdfast.lock.internal.time;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs code of the application, which may block for as long as it likes, or for ever: other tasks begin nevertheless. A task never
 * runs on the thread that submits it, as that may be the thread of the timers or one that calls the store; if no thread is
 * available, it waits until there is one.
 *
 * <p>The first few tasks begin at once. Further ones share their threads, and get one more thread for each moment that the oldest
 * has to wait: thousands of short tasks at once do not start thousands of threads. Thread-safe.
 */
public final class CallbackExecutor implements Executor, AutoCloseable {

    /** Below this number of tasks under way, the next one begins at once. */
    private static final int AT_ONCE = 8;

    /** The time from one look at waiting tasks to the next. */
    static final Duration LOOK = Duration.ofMillis(10);

    /** The time from a failed attempt to start a thread to the next. */
    static final Duration RETRY = Duration.ofMillis(500);

    private static final Logger log = LoggerFactory.getLogger(CallbackExecutor.class);

    private final String purpose;
    private final Executor threads;
    private final Timers timers;
    private final ReentrantLock guard = new ReentrantLock();
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    /** Threads that run tasks, or are about to. */
    private int workers;
    /** The workers that have not begun yet. */
    private int coming;
    /** The number of tasks that have begun, now and at the last look. */
    private long begun;

    private long begunBefore;
    private boolean isLooking;
    private volatile boolean isWithoutThreads;
    private boolean closed;

    /**
     * An executor without threads.
     *
     * @param purpose the kind of its tasks, for the log
     * @param threads begins each task at once, or throws
     */
    public CallbackExecutor(String purpose, Executor threads, Timers timers) {
        this.purpose = purpose;
        this.threads = threads;
        this.timers = timers;
    }

    /** Runs the task soon. Never fails. */
    @Override
    public void execute(Runnable task) {
        boolean starts;
        guard.lock();
        try {
            waiting.add(task);
            starts = workers < AT_ONCE || closed;
            count(starts ? 1 : 0);
        } finally {
            guard.unlock();
        }
        if (starts) {
            startWorker();
        } else {
            lookLater(LOOK);
        }
    }

    /** Begins the tasks that still wait, without timers from now on. Later tasks still run, each on a thread that then ends. */
    @Override
    public void close() {
        boolean starts;
        guard.lock();
        try {
            closed = true;
            starts = !waiting.isEmpty();
            count(starts ? 1 : 0);
        } finally {
            guard.unlock();
        }
        if (starts) {
            startWorker();
        }
    }

    /** Counts workers that are started next. Under the guard. */
    private void count(int starts) {
        workers += starts;
        coming += starts;
    }

    /** Starts one of the counted workers. */
    private void startWorker() {
        try {
            threads.execute(this::begin);
            isWithoutThreads = false;
        } catch (Throwable e) { // such as "unable to create native thread", which may pass
            failedToStart(e);
        }
    }

    private void failedToStart(Throwable failure) {
        boolean runsHere;
        int count;
        guard.lock();
        try {
            runsHere = closed && workers == 1; // no timer runs any longer, and no store is called
            workers -= runsHere ? 0 : 1;
            coming--;
            count = waiting.size();
        } finally {
            guard.unlock();
        }
        if (!isWithoutThreads) {
            isWithoutThreads = true;
            log.error(
                    "no thread is available: {} wait ({} of them), and are retried every {} ms; raise the thread limit"
                            + " of the process or container, or its memory",
                    purpose,
                    count,
                    RETRY.toMillis(),
                    failure);
        }
        if (runsHere) {
            work();
        } else {
            lookLater(RETRY);
        }
    }

    private void begin() {
        guard.lock();
        try {
            coming--;
        } finally {
            guard.unlock();
        }
        work();
    }

    private void work() {
        boolean isOver = false;
        try {
            for (Runnable task = next(); task != null; task = next()) {
                try {
                    task.run();
                } catch (Throwable e) {
                    log.error("a background task failed ({})", purpose, e);
                }
            }
            isOver = true;
        } finally {
            if (!isOver) { // the log may fail, too
                execute(() -> {});
                leave();
            }
        }
    }

    private void leave() {
        guard.lock();
        try {
            workers--;
        } finally {
            guard.unlock();
        }
    }

    /** The next task; null ends this worker. */
    private @Nullable Runnable next() {
        Runnable task;
        boolean starts;
        guard.lock();
        try {
            task = waiting.poll();
            begun += task == null ? 0 : 1;
            starts = closed && coming == 0 && !waiting.isEmpty(); // this task may block, and no look follows
            count(starts ? 1 : 0);
            workers -= task == null ? 1 : 0;
        } finally {
            guard.unlock();
        }
        if (starts) {
            startWorker();
        }
        return task;
    }

    private void lookLater(Duration delay) {
        guard.lock();
        try {
            if (!isLooking && !closed) {
                Timers.Timer unused = timers.after(delay, this::look);
                isLooking = true;
            }
        } finally {
            guard.unlock();
        }
    }

    /** Starts one more thread if tasks wait, and as many again if none has begun since the last look. */
    private void look() {
        int starts;
        boolean isBehind;
        guard.lock();
        try {
            isLooking = false;
            int most = begun == begunBefore ? Math.max(1, workers) : 1;
            starts = closed || coming > 0 ? 0 : Math.min(waiting.size(), most);
            count(starts);
            begunBefore = begun;
            isBehind = !waiting.isEmpty();
        } finally {
            guard.unlock();
        }
        for (int started = 0; started < starts; started++) {
            startWorker();
        }
        if (isBehind) {
            lookLater(LOOK);
        }
    }
}
