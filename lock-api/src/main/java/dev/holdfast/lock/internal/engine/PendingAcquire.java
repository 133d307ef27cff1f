package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request of a queue to the store: one id, from its first attempt until it is granted or released. Changed under the lock of the name
 * only.
 *
 * <p>SENT (an attempt is under way) ⇄ PAUSED (until it is worth asking again) → OVER. An attempt that was not answered is repeated by
 * the same id, so that it cannot be granted twice. A grant that arrives after OVER is released, so that a waiter that gave
 * up never owns the lock.
 */
final class PendingAcquire {

    private enum Phase {
        SENT,
        PAUSED,
        OVER
    }

    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private final Engine engine;
    private final WaitQueue queue;
    private final AcquireRequests requests;
    private final Backoff backoff;

    private Phase phase = Phase.PAUSED;
    private AcquisitionId id;
    /** An attempt by this id was not answered: the store may still execute it. */
    private boolean unconfirmed;
    /** This id has the lock, or a place in the store's queue. */
    private boolean known;
    /** The latest definite answer was "not yet", and no attempt has failed since. */
    private boolean refused;
    /** A notification came while an attempt was under way, which may have been too early. */
    private boolean notifiedMeanwhile;
    /** It is counted as listening for notifications. */
    private boolean listens;

    /** Null until it is first refused: most are granted at once. */
    private CoalescingTimer.@Nullable Alarm retryTimer;

    private boolean retryIsSet;

    /** What the latest attempt asked for. */
    private LeaseOptions options;

    private boolean queued;
    private DualClockInstant attemptedAt;

    PendingAcquire(
            Engine engine, WaitQueue queue, AcquireRequests requests, LeaseOptions options, DualClockInstant now) {
        this.engine = engine;
        this.queue = queue;
        this.requests = requests;
        this.options = options;
        this.backoff = engine.newBackoff();
        this.id = engine.newId();
        this.attemptedAt = now;
    }

    AcquisitionId id() {
        return id;
    }

    LeaseOptions options() {
        return options;
    }

    boolean isUnconfirmed() {
        return unconfirmed;
    }

    boolean isOver() {
        return phase == Phase.OVER;
    }

    boolean isPaused() {
        return phase == Phase.PAUSED;
    }

    /** Whether an attempt is under way. */
    boolean isSent() {
        return phase == Phase.SENT;
    }

    /** Whether the latest reply says that the lock is not free for this id. */
    boolean isRefused() {
        return refused;
    }

    DualClockInstant attemptedAt() {
        return attemptedAt;
    }

    /** Whether an attempt has been under way for so long. */
    boolean isUnansweredFor(Duration time, DualClockInstant now) {
        return phase == Phase.SENT && attemptedAt.until(now).compareTo(time) >= 0;
    }

    /**
     * Sends an attempt.
     *
     * @param wanted the options of the first waiter now
     * @param queues whether to take a place in the store's queue
     */
    void send(Lane lane, LeaseOptions wanted, boolean queues, Duration timeout, DeferredActions actions) {
        if (unconfirmed && !wanted.length().equals(options.length())) {
            renewId(actions); // or a lease of the former length might be granted
        }
        cancelRetry(actions);
        phase = Phase.SENT;
        options = wanted;
        queued = queues;
        notifiedMeanwhile = false;
        attemptedAt = actions.now();
        LockCommand.Acquire command = engine.acquireCommand(queue.name(), id, wanted, queues);
        actions.send(lane, command, timeout, response -> requests.answered(this, response));
    }

    /** Records a reply. Only one attempt is under way at a time, so it belongs to the present id. */
    void record(LockReply reply) {
        if (phase == Phase.SENT) {
            phase = Phase.PAUSED;
        }
        if (reply instanceof LockReply.Unavailable) {
            unconfirmed = true;
            refused = false;
        } else {
            // A Busy reply does not take away an earlier place in the queue.
            known = reply instanceof LockReply.Granted
                    || reply instanceof LockReply.Queued
                    || (known && reply instanceof LockReply.Busy);
            refused = reply instanceof LockReply.Busy || reply instanceof LockReply.Queued;
        }
    }

    /** Takes a new id, as this one or its lease is over. */
    void renewId(DeferredActions actions) {
        releaseId(Lane.BACKGROUND, actions); // in the same batch as the next request, which it could block
        id = engine.newId();
        unconfirmed = false;
        known = false;
    }

    /** Pauses after this answer. */
    void pause(LockReply reply, boolean queues, DeferredActions actions) {
        if (phase == Phase.OVER) {
            return;
        }
        if (refused && !listens && engine.hasNotifications()) {
            listens = true;
            actions.count(Action.Count.LISTENING_BEGAN);
        }
        if (refused && (notifiedMeanwhile || (queues && !queued))) {
            requests.sendAgain(this, actions);
        } else {
            setRetry(pauseAfter(reply), actions);
        }
    }

    private Duration pauseAfter(LockReply reply) {
        if (reply instanceof LockReply.Queued waiting) {
            Duration advised = waiting.retryAfter();
            if (!engine.hasNotifications()) {
                return backoff.busy(advised);
            }
            return Durations.max(advised, AT_ONCE);
        } else if (reply instanceof LockReply.Busy busy) {
            return backoff.busy(busy.retryAfter());
        } else {
            return backoff.silent();
        }
    }

    /** Sets the retry timer if it is paused without one. */
    void ensureRetry(DeferredActions actions) {
        if (phase == Phase.PAUSED && !retryIsSet) {
            setRetry(backoff.silent(), actions);
        }
    }

    private void setRetry(Duration delay, DeferredActions actions) {
        retryTimer = retryTimer == null ? engine.newTimer(() -> requests.retryIsDue(this)) : retryTimer;
        retryIsSet = true;
        actions.setTimer(retryTimer, delay);
    }

    private void cancelRetry(DeferredActions actions) {
        if (retryIsSet && retryTimer != null) {
            retryIsSet = false;
            actions.cancelTimer(retryTimer);
        }
    }

    void retryTimerFired() {
        retryIsSet = false;
    }

    void timerFailed() {
        retryIsSet = false;
    }

    /** A notification came while an attempt is under way. */
    void sendAgainAfterAnswer() {
        notifiedMeanwhile = true;
    }

    /** Gives up. An attempt that is under way is undone when its reply arrives. */
    void withdraw(DeferredActions actions) {
        boolean isSettled = phase == Phase.PAUSED;
        end(actions);
        if (isSettled) {
            releaseId(Lane.CLEANUP, actions);
        }
    }

    /** Ends the request. If it was granted, the id belongs to the lease from now on. */
    void end(DeferredActions actions) {
        phase = Phase.OVER;
        cancelRetry(actions);
        if (listens) {
            listens = false;
            actions.count(Action.Count.LISTENING_ENDED);
        }
    }

    /** Releases the present id if the store may know it. */
    void releaseId(Lane lane, DeferredActions actions) {
        if (known || unconfirmed) {
            Duration tombstone = unconfirmed ? options.length() : Duration.ZERO;
            actions.sendOrphan(lane, new LockCommand.Release(queue.name(), id, Duration.ZERO, tombstone), options);
        }
    }
}
