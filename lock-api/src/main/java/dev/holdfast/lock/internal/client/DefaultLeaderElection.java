package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.LeaderCandidate;
import dev.holdfast.lock.LeaderElection;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.Clock;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One campaign: asks for the lock without a waiting thread, hands each lease to a {@link Leadership}, and asks again when that has
 * ended. At any time it has a request, a timer or a leadership, until the election is over.
 */
final class DefaultLeaderElection implements LeaderElection {

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(10);

    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    /** A request that fails this much later than an outage would end it was answered in between. */
    private static final Duration ONE_OUTAGE = Duration.ofSeconds(20);

    private static final Logger log = LoggerFactory.getLogger(DefaultLeaderElection.class);

    private final DefaultLock lock;
    private final LeaderCandidate candidate;
    private final Clock clock;
    private final Timers timers;
    private final Executor threads;
    private final Consumer<DefaultLeaderElection> whenOver;

    private final CompletableFuture<Boolean> over = new CompletableFuture<>();

    /** Completed when the locks are closed for good, and with them the timers that would end a wait. */
    private final CompletableFuture<Boolean> abandoned = new CompletableFuture<>();

    private final ReentrantLock guard = new ReentrantLock();
    private boolean closed;
    private @Nullable CompletableFuture<Lease> request;
    private Timers.@Nullable Timer timer;
    private Duration pause = FIRST_PAUSE;
    private boolean isOutageLogged;
    private boolean isFailureLogged;
    private volatile @Nullable Leadership leadership;

    /**
     * An election that has not begun.
     *
     * @param threads run the candidate
     * @param whenOver called once nothing is left of it
     */
    DefaultLeaderElection(
            DefaultLock lock,
            LeaderCandidate candidate,
            Clock clock,
            Timers timers,
            Executor threads,
            Consumer<DefaultLeaderElection> whenOver) {
        this.lock = lock;
        this.candidate = candidate;
        this.clock = clock;
        this.timers = timers;
        this.threads = threads;
        this.whenOver = whenOver;
    }

    /**
     * Asks for the lock.
     *
     * @throws IllegalStateException if the locks are closed
     */
    void campaign() {
        CompletableFuture<Lease> future;
        DualClockInstant since = clock.now();
        guard.lock();
        try {
            timer = null;
            leadership = null;
            if (closed) {
                end();
                return;
            }
            future = lock.acquireInBackground();
            request = future;
        } finally {
            guard.unlock();
        }
        CompletableFuture<Void> unused = future.handle((lease, failure) -> {
            if (lease != null) {
                granted(lease);
            } else if (failure != null) {
                failed(failure, since);
            }
            return null;
        });
    }

    private void granted(Lease lease) {
        Leadership begun = new Leadership(candidate, lease, threads, timers, lock.log(), this::leadershipOver);
        guard.lock();
        try {
            request = null;
            isOutageLogged = false;
            isFailureLogged = false;
            leadership = begun;
            if (closed) {
                begun.end(); // the candidate is not told
            }
        } finally {
            guard.unlock();
        }
        begun.begin();
    }

    private void failed(Throwable failure, DualClockInstant since) {
        guard.lock();
        try {
            request = null;
            if (closed || !(failure instanceof LockUnavailableException)) { // or the locks are closed
                end();
                return;
            }
            if (!isOutageLogged || since.until(clock.now()).compareTo(ONE_OUTAGE) > 0) {
                isOutageLogged = true;
                lock.log().campaignUnanswered(lock.name(), failure);
            }
            timer = timers.after(FIRST_PAUSE, this::campaignUnlessClosed);
        } finally {
            guard.unlock();
        }
    }

    private void leadershipOver(Leadership ended) {
        guard.lock();
        try {
            if (!closed && ended.isFailed()) { // other candidates have their turn
                leadership = null;
                timer = timers.after(pause, this::campaignUnlessClosed);
                pause = Durations.min(pause.multipliedBy(2), LONGEST_PAUSE);
                return;
            }
            pause = FIRST_PAUSE;
        } finally {
            guard.unlock();
        }
        campaignUnlessClosed();
    }

    private void campaignUnlessClosed() {
        try {
            campaign();
        } catch (IllegalStateException e) { // the locks are closed
            guard.lock();
            try {
                end();
            } finally {
                guard.unlock();
            }
        } catch (Throwable e) { // such as "unable to create native thread", which may pass
            guard.lock();
            try {
                if (!isFailureLogged) {
                    isFailureLogged = true;
                    log.error("the campaign for '{}' could not begin, and is retried", lock.name(), e);
                }
                timer = timers.after(FIRST_PAUSE, this::campaignUnlessClosed);
            } finally {
                guard.unlock();
            }
        }
    }

    /** Ends the election. Under the guard. */
    private void end() {
        closed = true;
        leadership = null;
        whenOver.accept(this);
        over.complete(true);
    }

    @Override
    public String name() {
        return lock.name();
    }

    @Override
    public boolean isLeader() {
        Leadership present = leadership;
        return present != null && present.isLeader();
    }

    @Override
    public Optional<Lease> lease() {
        Leadership present = leadership;
        return present != null && present.isLeader() ? Optional.of(present.lease()) : Optional.empty();
    }

    @Override
    public void yieldLeadership() {
        Leadership present = leadership;
        if (present != null) {
            present.end();
        }
    }

    @Override
    public void close() {
        CompletableFuture<Boolean> end = beginClose();
        Leadership present = leadership;
        if (present != null && present.isOnThisThread()) {
            return;
        }
        try {
            boolean inTime = TimedWait.awaitInterruptibly(
                    CompletableFuture.anyOf(end, abandoned), CLOSE_PATIENCE, clock, timers);
            if (!inTime || !end.isDone()) {
                log.warn(
                        "the leader candidate of '{}' has not stopped within {} s; its lock stays held until it does",
                        lock.name(),
                        CLOSE_PATIENCE.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The locks are closed: nothing waits for the candidate any longer. */
    void abandon() {
        abandoned.complete(true);
    }

    /** Ends the election; completed once the candidate is revoked and the lock released. */
    CompletableFuture<Boolean> beginClose() {
        CompletableFuture<Lease> withdrawn;
        Leadership present;
        guard.lock();
        try {
            closed = true;
            withdrawn = request;
            present = leadership;
            if (timer != null) {
                timer.cancel();
                timer = null;
                end();
            }
        } finally {
            guard.unlock();
        }
        if (withdrawn != null) {
            withdrawn.cancel(false);
        }
        if (present != null) {
            present.end();
        }
        return over;
    }

    @Override
    public String toString() {
        return "election of '" + lock.name() + "'" + (isLeader() ? ", leading" : "");
    }
}
