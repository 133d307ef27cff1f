package dev.holdfast.lock.internal.time;

import dev.holdfast.lock.spi.support.DaemonThreadFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of one {@code Locks}: daemons, few, and all but the timers' gone when idle; none per lock, lease or waiter. */
public final class DaemonThreads implements Threads {

    private static final int IDLE_SECONDS = 10;

    private static final Logger log = LoggerFactory.getLogger(DaemonThreads.class);

    private final ScheduledThreadPoolExecutor timer;
    private final List<ExecutorService> pools = new CopyOnWriteArrayList<>();

    public DaemonThreads() {
        timer = new TimerThread();
        timer.setRemoveOnCancelPolicy(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        // Started now and kept: setting a timer never needs a new thread, which might not be available.
        timer.prestartCoreThread();
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        ScheduledFuture<?> future = timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    /** Logs a failed task, so that later tasks still run. */
    private static final class TimerThread extends ScheduledThreadPoolExecutor {

        TimerThread() {
            super(1, daemons("timer"), new ThreadPoolExecutor.DiscardPolicy());
        }

        @Override
        protected void afterExecute(Runnable task, @Nullable Throwable thrown) {
            super.afterExecute(task, thrown);
            if (task instanceof Future<?> future && future.isDone() && !future.isCancelled()) {
                try {
                    future.get();
                } catch (ExecutionException e) {
                    log.error("a timer task failed; the other timers go on", e.getCause());
                } catch (InterruptedException e) {
                    throw new AssertionError(e); // it is done
                }
            }
        }
    }

    @Override
    public Executor pool(String name, int size) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                size,
                size,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                daemons(name),
                new ThreadPoolExecutor.DiscardPolicy());
        pool.allowCoreThreadTimeOut(true);
        pools.add(pool);
        return pool;
    }

    @Override
    public Executor asNeeded(String name) {
        ThreadFactory factory = daemons(name);
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                factory,
                (task, closed) -> factory.newThread(task).start());
        pools.add(pool);
        return pool;
    }

    @Override
    public void close() {
        timer.shutdown();
        pools.forEach(ExecutorService::shutdown);
    }

    private static ThreadFactory daemons(String name) {
        return new DaemonThreadFactory("holdfast-" + name + "-");
    }
}
