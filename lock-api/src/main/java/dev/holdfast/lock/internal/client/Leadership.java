package dev.holdfast.lock.internal.client;

import dev.holdfast.lock.LeaderCandidate;
import dev.holdfast.lock.Lease;
import dev.holdfast.lock.internal.engine.LeaseLog;
import dev.holdfast.lock.internal.time.Timers;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One leadership of a candidate, from the grant of a lease until the candidate is revoked and the lease released.
 *
 * <p>GRANTED → IN_ELECTED → LEADING → IN_REVOKED → OVER. Each step is taken once, by one thread. A leadership that ends before its
 * candidate was called is OVER at once.
 */
final class Leadership {

    /** The candidate's time to stop after the loss of its lease, when another candidate may lead. */
    private static final Duration TIME_TO_STOP = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(Leadership.class);

    private enum Step {
        GRANTED,
        IN_ELECTED,
        LEADING,
        IN_REVOKED,
        OVER
    }

    private final LeaderCandidate candidate;
    private final Lease lease;
    private final ElectedLease shown;
    private final Executor threads;
    private final Timers timers;
    private final LeaseLog leaseLog;
    private final Consumer<Leadership> whenOver;

    private final ReentrantLock guard = new ReentrantLock();
    private Step step = Step.GRANTED;
    /** The thread in a method of the candidate; null if none runs. */
    private @Nullable Thread thread;

    private boolean isInterrupted;
    private volatile boolean ends;
    private volatile boolean failed;

    /**
     * A leadership that has not begun.
     *
     * @param lease is released at the end
     * @param threads run the candidate; never fail
     * @param whenOver called once the lease was released
     */
    Leadership(
            LeaderCandidate candidate,
            Lease lease,
            Executor threads,
            Timers timers,
            LeaseLog leaseLog,
            Consumer<Leadership> whenOver) {
        this.candidate = candidate;
        this.lease = lease;
        this.shown = new ElectedLease(lease, this::end);
        this.threads = threads;
        this.timers = timers;
        this.leaseLog = leaseLog;
        this.whenOver = whenOver;
    }

    void begin() {
        lease.onLost(loss -> lost());
        threads.execute(this::elect);
    }

    private void lost() {
        boolean isNews = !ends;
        end();
        if (isNews) {
            leaseLog.leadershipLost(lease.name(), lease.fencingToken());
            Timers.Timer unused = timers.after(TIME_TO_STOP, this::warnUnlessOver);
        }
    }

    private void warnUnlessOver() {
        boolean isOver;
        guard.lock();
        try {
            isOver = step == Step.OVER;
        } finally {
            guard.unlock();
        }
        if (!isOver) {
            leaseLog.candidateNotStopped(lease.name(), TIME_TO_STOP);
        }
    }

    Lease lease() {
        return shown;
    }

    boolean isLeader() {
        return !ends && lease.isHeld();
    }

    /** Whether the candidate refused to lead: its method threw. */
    boolean isFailed() {
        return failed;
    }

    /** Whether this thread runs a method of the candidate. */
    boolean isOnThisThread() {
        guard.lock();
        try {
            return thread == Thread.currentThread();
        } finally {
            guard.unlock();
        }
    }

    /** Ends the leadership for any reason. The candidate is revoked on its own thread. */
    void end() {
        boolean tells;
        guard.lock();
        try {
            tells = !ends && step == Step.LEADING;
            ends = true;
            step = tells ? Step.IN_REVOKED : step;
            if (step == Step.IN_ELECTED && !isInterrupted && thread != null && thread != Thread.currentThread()) {
                isInterrupted = true; // only once: the candidate may block while it cleans up
                thread.interrupt(); // under the guard, so that the thread is in the candidate's method
            }
        } finally {
            guard.unlock();
        }
        if (tells) {
            threads.execute(this::revoke);
        }
    }

    private void elect() {
        if (!enter()) {
            over();
            return;
        }
        Throwable thrown = null;
        try {
            candidate.elected(shown);
        } catch (Throwable e) {
            thrown = e;
        }
        boolean tells = leave(thrown != null);
        try {
            if (thrown != null && !(tells && !failed && thrown instanceof InterruptedException)) {
                log.error("the leader candidate of '{}' failed, and does not lead", lease.name(), thrown);
            }
        } finally { // the log may fail, too
            if (tells) {
                revoke();
            }
        }
    }

    private boolean enter() {
        guard.lock();
        try {
            if (ends || !lease.isHeld()) {
                ends = true;
                return false;
            }
            step = Step.IN_ELECTED;
            thread = Thread.currentThread();
            return true;
        } finally {
            guard.unlock();
        }
    }

    /** Called when the candidate's method has returned. Returns whether the leadership is over and the candidate has to be told. */
    private boolean leave(boolean hasThrown) {
        guard.lock();
        try {
            boolean unused = Thread.interrupted(); // meant for the candidate
            thread = null;
            failed = hasThrown && !ends;
            ends |= hasThrown;
            step = ends ? Step.IN_REVOKED : Step.LEADING;
            return ends;
        } finally {
            guard.unlock();
        }
    }

    private void revoke() {
        guard.lock();
        try {
            thread = Thread.currentThread();
        } finally {
            guard.unlock();
        }
        try {
            candidate.revoked(shown);
        } catch (Throwable e) {
            log.error("the leader candidate of '{}' failed when its leadership was revoked", lease.name(), e);
        } finally {
            guard.lock();
            try {
                boolean unused = Thread.interrupted();
                thread = null;
            } finally {
                guard.unlock();
            }
            over();
        }
    }

    private void over() {
        guard.lock();
        try {
            step = Step.OVER;
        } finally {
            guard.unlock();
        }
        try {
            lease.close();
        } finally {
            whenOver.accept(this);
        }
    }
}
