package dev.holdfast.lock.internal.time;

import java.time.Duration;

/** Runs a short task later. The task takes no longer than a few transitions and never touches a store. */
@FunctionalInterface
public interface Timers {

    /** Runs the task after this delay, unless it is cancelled before. */
    Timer after(Duration delay, Runnable task);

    /** A task that will run. */
    @FunctionalInterface
    interface Timer {
        /** Cancels the task, unless it runs already. A second call does nothing. */
        void cancel();
    }
}
