package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.internal.time.Blocking;
import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The wait of a thread for others, up to a limit. A limit that ends late shows that the process stood still, and the others with it:
 * they get the time of the limit once more. Uses the timers of the locks, as a wait of the JDK would leave a thread that refers to
 * Holdfast.
 */
final class TimedWait {

    /** A timer that is later than this shows that the process stood still. */
    private static final Duration LATE = Duration.ofMillis(100);

    private final Clock clock;
    private final Timers timers;
    private final Duration limit;
    private final CompletableFuture<Boolean> isDone = new CompletableFuture<>();
    private volatile Timers.@Nullable Timer timer;

    private TimedWait(Clock clock, Timers timers, Duration limit) {
        this.clock = clock;
        this.timers = timers;
        this.limit = limit;
    }

    /**
     * Waits until the future is completed. An interrupt does not end the wait, and is kept.
     *
     * @return false if the limit passed before
     */
    static boolean await(CompletableFuture<?> future, Duration limit, Clock clock, Timers timers) {
        TimedWait wait = begin(future, limit, clock, timers);
        try {
            return Blocking.join(wait.isDone);
        } finally {
            wait.end();
        }
    }

    /** As {@link #await}, ended by an interrupt. */
    static boolean awaitInterruptibly(CompletableFuture<?> future, Duration limit, Clock clock, Timers timers)
            throws InterruptedException {
        TimedWait wait = begin(future, limit, clock, timers);
        try {
            Blocking.await(wait.isDone);
            return wait.isDone.join();
        } finally {
            wait.end();
        }
    }

    private static TimedWait begin(CompletableFuture<?> future, Duration limit, Clock clock, Timers timers) {
        TimedWait wait = new TimedWait(clock, timers, limit);
        DualClockInstant due = clock.now().plus(limit);
        wait.timer = timers.after(limit, () -> wait.limitIsOver(due));
        CompletableFuture<?> unused = future.whenComplete((result, failure) -> wait.isDone.complete(true));
        return wait;
    }

    private void end() {
        Timers.Timer set = timer;
        if (set != null) {
            set.cancel();
        }
    }

    private void limitIsOver(DualClockInstant due) {
        if (due.until(clock.now()).compareTo(LATE) > 0) {
            timer = timers.after(limit, () -> isDone.complete(false));
        } else {
            isDone.complete(false);
        }
    }
}
