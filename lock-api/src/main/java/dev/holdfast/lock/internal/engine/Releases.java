package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.state.Backoff;
import dev.holdfast.lock.internal.state.EngineSettings;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.ReleaseResult;
import dev.holdfast.lock.internal.state.StateTransition;
import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreReply;
import dev.holdfast.lock.internal.transport.StoreRequest;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The releases that the store has not answered yet: each is repeated until it does or its lease must be over. Repeating is harmless, as
 * a release affects its own id only. They belong to no queue, as they may outlive it. Thread-safe.
 */
final class Releases {

    /** Maximum number of unanswered releases that are repeated without a caller: each costs about half a kilobyte. */
    static final int MAX_ORPHANS = 50_000;

    private final Clock clock;
    private final Timers timers;
    private final EngineSettings settings;
    private final StoreCalls calls;
    private final LeaseLog log;
    private final Set<Retry> releases = ConcurrentHashMap.newKeySet();
    private final AtomicInteger orphans = new AtomicInteger();
    private volatile boolean abandoned;

    Releases(Clock clock, Timers timers, EngineSettings settings, StoreCalls calls, LeaseLog log) {
        this.clock = clock;
        this.timers = timers;
        this.settings = settings;
        this.calls = calls;
        this.log = log;
    }

    /**
     * Releases a lock that was held. The callback is told in time, even if the store does not answer or other commands come first.
     *
     * @param patience for how long an unanswered release is repeated; zero for a single attempt
     */
    Retry awaited(LockCommand.Release command, Duration timeout, Duration patience, Consumer<ReleaseResult> callback) {
        return new Retry(command, timeout, patience, false, callback);
    }

    /** Releases an id that no caller waits for: repeated for as long as its lease could last. */
    Retry orphan(LockCommand.Release command, LeaseOptions options) {
        Duration patience = options.length().plus(options.callTimeout());
        return new Retry(command, options.callTimeout(), patience, true, result -> {
            Throwable cause = result.cause();
            if (cause != null) {
                log.leftToExpire(command.name(), cause);
            }
        });
    }

    /** Returns false if too many releases without a caller are registered. One with a minimum hold is always accepted. */
    boolean register(Retry release) {
        calls.expect();
        if (release.isOrphan && orphans.incrementAndGet() > MAX_ORPHANS && !release.keepsMinimumHold()) {
            return false;
        }
        releases.add(release);
        if (abandoned) {
            release.abandon();
        }
        return true;
    }

    private void unregister(Retry release) {
        releases.remove(release);
        if (release.isOrphan) {
            orphans.decrementAndGet();
        }
        calls.settle();
    }

    /** Ends all, and those that come later, because the engine is closed. */
    void abandon() {
        abandoned = true;
        List.copyOf(releases).forEach(Retry::abandon);
    }

    /** One release. */
    final class Retry implements Consumer<StoreReply>, StateTransition.SentRelease {

        private final LockCommand.Release command;
        private final Duration timeout;
        private final Duration patience;
        /** No caller waits for it. */
        private final boolean isOrphan;

        private final Consumer<ReleaseResult> callback;
        private final DualClockInstant since;
        private final Backoff backoff;
        /** The latest failure. Written by the one attempt that is under way, read by the next. */
        private volatile @Nullable Throwable unanswered;

        private volatile Timers.@Nullable Timer limit;

        private final AtomicBoolean over = new AtomicBoolean();

        /** The first attempt, for as long as it may be taken back. Changed under the lock of the name. */
        private @Nullable StoreRequest first;

        private volatile Runnable whenReplied = () -> {};

        private Retry(
                LockCommand.Release command,
                Duration timeout,
                Duration patience,
                boolean isOrphan,
                Consumer<ReleaseResult> callback) {
            this.command = command;
            this.timeout = timeout;
            this.patience = patience;
            this.isOrphan = isOrphan;
            this.callback = callback;
            this.since = clock.now();
            this.backoff = settings.newBackoff();
        }

        boolean isOrphan() {
            return isOrphan;
        }

        /** Whether it sets a minimum hold, which only a release can do; a lease also ends by itself. */
        private boolean keepsMinimumHold() {
            return !command.minimumHold().isZero();
        }

        /** The first attempt to send, which may be taken back until it is sent. */
        StoreRequest firstAttempt() {
            StoreRequest request = attempt();
            first = request;
            return request;
        }

        private StoreRequest attempt() {
            calls.expect();
            return new StoreRequest(command, timeout, this);
        }

        /**
         * Takes the first attempt back from the thread that was to send it.
         *
         * @param newTimeout of the request that takes its place
         * @return the request to be sent instead; null if it is sent, or was taken back before
         */
        @Nullable
        StoreRequest takeBack(Duration newTimeout) {
            StoreRequest request = first;
            StoreRequest instead = new StoreRequest(command, newTimeout, this);
            first = null;
            return request != null && request.take() ? instead : null;
        }

        /** Has a task run whenever the store has replied, or has not in time. */
        void whenReplied(Runnable task) {
            whenReplied = task;
        }

        /** Sets the timer that ends it in time: a reply may be late, as other commands may come first. */
        void limit() {
            if (!over.get()) {
                DualClockInstant due =
                        since.plus(Durations.max(patience, timeout)).plus(StateTransition.Alarm.GRACE);
                Duration left = clock.now().until(due);
                setLimit(Durations.max(left, Duration.ZERO), () -> giveUpUnlessLate(due));
            }
        }

        private void setLimit(Duration delay, Runnable task) {
            limit = timers.after(delay, task);
            if (over.get()) {
                cancelLimit();
            }
        }

        private void giveUpUnlessLate(DualClockInstant due) {
            if (!StateTransition.Alarm.isLate(due, clock.now())) {
                giveUp();
            } else if (!over.get()) {
                setLimit(StateTransition.Alarm.GRACE, this::giveUp);
            }
        }

        private void cancelLimit() {
            Timers.Timer timer = limit;
            if (timer != null) {
                timer.cancel();
            }
        }

        private void giveUp() {
            Throwable cause = unanswered;
            end(ReleaseResult.unanswered(
                    cause == null ? new LockUnavailableException("no answer came in time", null) : cause));
        }

        /** The store answered, or did not in time. */
        @Override
        public void accept(StoreReply received) {
            try {
                calls.replied(received);
                take(received.reply());
            } finally {
                calls.settle();
            }
        }

        private void take(LockReply reply) {
            if (reply instanceof LockReply.Released released) {
                end(new ReleaseResult(true, released.wasHeld() || unanswered != null, null));
                return;
            }
            unanswered = ((LockReply.Unavailable) reply).cause();
            if (since.until(clock.now()).compareTo(patience) >= 0) {
                giveUp();
            } else if (!over.get()) {
                timers.after(backoff.silent(), this::repeat);
                whenReplied.run();
            }
        }

        private void repeat() {
            if (!over.get()) {
                calls.store().execute(isOrphan ? Lane.CLEANUP : Lane.BACKGROUND, List.of(attempt()));
            }
        }

        /** Ends it without sending it, as too many others are unanswered. */
        void refuse() {
            end(ReleaseResult.unanswered(new LockUnavailableException("too many other releases are unanswered", null)));
        }

        private void abandon() {
            end(ReleaseResult.abandoned(new LockUnavailableException("these locks were closed meanwhile", null)));
        }

        private void tell(ReleaseResult result) {
            try {
                callback.accept(result);
            } finally {
                unregister(this);
            }
        }

        private void end(ReleaseResult result) {
            if (over.compareAndSet(false, true)) {
                cancelLimit();
                try {
                    whenReplied.run();
                } finally {
                    tell(result);
                }
            }
        }
    }
}
