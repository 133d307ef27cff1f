package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.GrantsSuspendedException;
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

    private final EngineSettings settings;
    private final LockName name;
    private final Backoff backoff;

    private Phase phase = Phase.PAUSED;
    private AcquisitionId id;
    /** An attempt by this id was not answered: the store may still execute it. */
    private boolean unconfirmed;
    /** This id has the lock, or a place in the store's queue. */
    private boolean known;
    /** The latest definite reply was "not yet", and no attempt has failed since. */
    private boolean refused;
    /** The latest attempt had no effect that counts, as the store grants nothing for now. */
    private boolean suspended;
    /** A notification came while an attempt was under way, which may have been too early. */
    private boolean notifiedMeanwhile;
    /** The latest attempt may reach the store before the release of this process's own lease: a refusal says nothing. */
    private boolean overtakes;
    /** It is counted as listening for notifications. */
    private boolean listens;

    /** Null until it is first refused: most are granted at once. */
    private StateTransition.@Nullable Alarm retryAlarm;

    private boolean retryIsSet;

    /** What the latest attempt asked for. */
    private LeaseOptions options;

    private boolean queued;
    private DualClockInstant attemptedAt;

    PendingAcquire(EngineSettings settings, LockName name, LeaseOptions options, DualClockInstant now) {
        this.settings = settings;
        this.name = name;
        this.options = options;
        this.backoff = settings.newBackoff();
        this.id = settings.newId();
        this.attemptedAt = now;
    }

    AcquisitionId id() {
        return id;
    }

    LeaseOptions options() {
        return options;
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

    /** Whether the latest attempt may have reached the store before an earlier release of this process. */
    boolean mayHaveOvertaken() {
        return overtakes;
    }

    DualClockInstant attemptedAt() {
        return attemptedAt;
    }

    /** Whether an attempt has been under way for so long. */
    boolean isUnansweredFor(Duration time, DualClockInstant now) {
        return phase == Phase.SENT && attemptedAt.until(now).compareTo(time) >= 0;
    }

    /**
     * Begins an attempt, whose command is to be sent.
     *
     * @param wanted the options of the first waiter now
     * @param queues whether to take a place in the store's queue
     * @param mayOvertake whether it may reach the store before a release of this process that was sent earlier
     */
    LockCommand.Acquire attempt(LeaseOptions wanted, boolean queues, boolean mayOvertake, StateTransition transition) {
        if (unconfirmed && !wanted.length().equals(options.length())) {
            renewId(transition); // or a lease of the former length might be granted
        }
        cancelRetry(transition);
        phase = Phase.SENT;
        options = wanted;
        queued = queues;
        overtakes = mayOvertake;
        notifiedMeanwhile = false;
        attemptedAt = transition.now();
        return settings.acquireCommand(name, id, wanted, queues);
    }

    /** Records a reply. Only one attempt is under way at a time, so it belongs to the present id. */
    void record(LockReply reply) {
        if (phase == Phase.SENT) {
            phase = Phase.PAUSED;
        }
        suspended = GrantsSuspendedException.in(reply) != null;
        if (reply instanceof LockReply.Unavailable) {
            unconfirmed |= !suspended;
            refused = false;
        } else {
            // A Busy reply does not take away an earlier place in the queue.
            known = reply instanceof LockReply.Granted
                    || reply instanceof LockReply.Queued
                    || (known && reply instanceof LockReply.Busy);
            refused = !overtakes && (reply instanceof LockReply.Busy || reply instanceof LockReply.Queued);
        }
    }

    /** Takes a new id, as this one or its lease is over. */
    void renewId(StateTransition transition) {
        releaseId(Lane.BACKGROUND, transition); // in the same batch as the next request, which it could block
        id = settings.newId();
        unconfirmed = false;
        known = false;
    }

    // --- Between two attempts.

    /** Listens for notifications from now on if it was refused, or the store will say when it grants again. */
    void listenIfRefused(StateTransition transition) {
        if ((refused || suspended) && !listens && settings.hasNotifications()) {
            listens = true;
            transition.listeningBegan();
        }
    }

    /** Whether it is worth asking again at once, though it was refused. */
    boolean isOutdated(boolean queues) {
        return (notifiedMeanwhile && (refused || suspended)) || (refused && queues && !queued);
    }

    /** How long to wait after this reply before asking again. */
    Duration pauseAfter(LockReply reply) {
        if (reply instanceof LockReply.Queued waiting) {
            Duration advised = waiting.retryAfter();
            if (!settings.hasNotifications()) {
                return backoff.busy(advised);
            }
            return Durations.max(advised, AT_ONCE);
        } else if (reply instanceof LockReply.Busy busy) {
            return backoff.busy(busy.retryAfter());
        }
        GrantsSuspendedException suspension = GrantsSuspendedException.in(reply);
        return queued && suspension != null ? suspension.retryAfter() : backoff.silent();
    }

    /** How long to wait before asking again when nothing is known. */
    Duration silentPause() {
        return backoff.silent();
    }

    /** Whether it is paused without a timer. */
    boolean lacksRetry() {
        return phase == Phase.PAUSED && !retryIsSet;
    }

    /** Its timer; null if it has never had one. */
    StateTransition.@Nullable Alarm retryAlarm() {
        return retryAlarm;
    }

    void setRetry(StateTransition.Alarm alarm, Duration delay, StateTransition transition) {
        retryAlarm = alarm;
        retryIsSet = true;
        transition.setTimer(alarm, delay);
    }

    private void cancelRetry(StateTransition transition) {
        if (retryIsSet && retryAlarm != null) {
            retryIsSet = false;
            transition.cancelTimer(retryAlarm);
        }
    }

    /** Its timer has fired, or could not be set. */
    void retryTimerOver() {
        retryIsSet = false;
    }

    /** A notification came while an attempt is under way. */
    void notifiedMeanwhile() {
        notifiedMeanwhile = true;
    }

    // --- Its end.

    /** Gives up. An attempt that is under way is undone when its reply arrives. */
    void withdraw(StateTransition transition) {
        boolean isSettled = phase == Phase.PAUSED;
        end(transition);
        if (isSettled) {
            releaseId(Lane.CLEANUP, transition);
        }
    }

    /** Ends the request. If it was granted, the id belongs to the lease from now on. */
    void end(StateTransition transition) {
        phase = Phase.OVER;
        cancelRetry(transition);
        if (listens) {
            listens = false;
            transition.listeningEnded();
        }
    }

    /**
     * The lease that the store granted to the latest attempt.
     *
     * @param wanted the options of the first waiter now
     */
    StoreLease lease(
            LockReply.Granted granted, DualClockInstant sent, LeaseOptions wanted, StateTransition transition) {
        Duration asked = options.length();
        Duration tombstone = unconfirmed ? Durations.max(wanted.length(), asked) : Duration.ZERO;
        return new StoreLease(settings, name, id, granted, sent, asked, tombstone, wanted, transition);
    }

    /** Releases the present id if the store may know it. */
    void releaseId(Lane lane, StateTransition transition) {
        if (known || unconfirmed) {
            Duration tombstone = unconfirmed ? options.length() : Duration.ZERO;
            LockCommand.Release release = new LockCommand.Release(name, id, Duration.ZERO, tombstone, options.share());
            transition.releaseOrphan(lane, release, options);
        }
    }
}
