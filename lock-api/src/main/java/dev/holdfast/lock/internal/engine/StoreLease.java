package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.DurationText;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A grant of the store to this process, until it is released or lost. {@linkplain LeaseHolder Holders} of this process may have it
 * one after the other.
 *
 * <p>HELD ⇄ UNCONFIRMED → LOST or RELEASED. It ends at its deadline whatever renewals are under way; a renewal that is answered
 * after the end changes nothing.
 *
 * <p>Changed under the lock of the name only. What is read without that lock is volatile.
 */
final class StoreLease {

    private static final String WHY_GONE =
            "it was released by force, or the server has lost it or has ended it too early";
    private static final String OVER_BEFORE_RELEASE = "the store did not have it any more at its release: " + WHY_GONE;

    private final Engine engine;
    private final WaitQueue queue;
    private final AcquisitionId id;
    private final LeaseOptions options;
    /** For how long an unanswered attempt of the same id may matter; zero if all were answered. */
    private final Duration tombstone;

    private final DualClockInstant grantedAt;
    /** When the attempt was sent that the store granted; the grant was at most {@link #ageWhenSent} old by then. */
    private final DualClockInstant sentAt;

    private final Duration ageWhenSent;
    private final CoalescingTimer.Alarm timer;
    /** Null for a fixed lease. */
    private final @Nullable LeaseRenewal renewal;

    private volatile LeaseState state = LeaseState.HELD;
    /** The present holder, or the last one. */
    private volatile LeaseHolder holder;
    /** Written before the state says LOST. */
    private volatile @Nullable LockLostException loss;
    /** Why the latest renewal was not answered; null if it was. Under the lock of the name. */
    private @Nullable Throwable unanswered;
    /** Null until it is extended for the first time. */
    private @Nullable ExtensionQueue extensions;

    // The deadline, in numbers: a new object at each renewal would cost the garbage collector more than the renewal.
    // A reader without the lock may see the deadline of one clock before a renewal and that of the other after it: the
    // lease is valid only if it is by both.
    private volatile long deadlineNanos;
    private volatile long deadlineWallNanos;

    /** @param sent an instant before the attempt was sent that the store answered: the lease counts from there */
    StoreLease(
            Engine engine,
            WaitQueue queue,
            PendingAcquire pending,
            LockReply.Granted granted,
            DualClockInstant sent,
            LeaseOptions options,
            DualClockInstant now) {
        this.engine = engine;
        this.queue = queue;
        this.id = pending.id();
        this.options = options;
        this.holder =
                new LeaseHolder(this, LockReply.Granted.fencingToken(granted.token(), 0), options.minimumHold(), now);
        this.tombstone = pending.isUnconfirmed()
                ? Durations.max(options.length(), pending.options().length())
                : Duration.ZERO;
        this.grantedAt = now;
        this.sentAt = sent;
        this.ageWhenSent =
                Durations.max(Duration.ZERO, pending.options().length().minus(granted.remaining()));
        this.timer = engine.newTimer(this::timerFired);
        setDeadline(sent.endOf(granted.remaining()));
        if (options.renewed()) {
            this.renewal = new LeaseRenewal(engine, queue, this);
            renewal.confirmed(sent, granted.remaining());
        } else {
            this.renewal = null;
        }
    }

    void begin(DeferredActions actions) {
        actions.count(Action.Count.LEASE_BEGAN);
        setTimer(actions);
    }

    /** Locks the name for a transition, which {@link DeferredActions#run} ends. */
    DeferredActions beginTransition() {
        return queue.begin();
    }

    LockName name() {
        return queue.name();
    }

    LeaseOptions options() {
        return options;
    }

    LeaseHolder holder() {
        return holder;
    }

    LeaseState state() {
        return state;
    }

    @Nullable
    LockLostException loss() {
        return loss;
    }

    long storeToken() {
        return holder.fencingToken() / LockReply.Granted.HOLDERS_PER_GRANT;
    }

    /** How old the grant is at most: by whichever clock of this process went on for longer. */
    Duration oldestAge(DualClockInstant now) {
        long nanos = Math.max(now.nanos() - sentAt.nanos(), now.wallNanos() - sentAt.wallNanos());
        return ageWhenSent.plusNanos(Math.max(0, nanos));
    }

    // --- Until when it is held.

    static boolean isOpen(LeaseState state) {
        return state == LeaseState.HELD || state == LeaseState.UNCONFIRMED;
    }

    /** The time to its end, whatever its state; negative if that has passed. */
    Duration remaining() {
        return end().after(engine.now());
    }

    /** Whether its time is not over, whatever its state. */
    boolean isValid() {
        return end().isAfter(engine.now());
    }

    /** Whether it is held at this instant, by the clock. */
    boolean isHeld(DualClockInstant now) {
        return isOpen(state) && end().isAfter(now);
    }

    /** Whether it is held, after it was ended if its time is over. */
    boolean isHeldNow(DeferredActions actions) {
        return !expireIfOver(actions) && isOpen(state);
    }

    /** When it is over, as far as is known now. */
    DualClockInstant end() {
        return engine.validity().end(queue.name(), id, deadline());
    }

    /** When its own time is over: the store may withdraw its permission to grant sooner. */
    DualClockInstant deadline() {
        return new DualClockInstant(deadlineNanos, deadlineWallNanos);
    }

    private void setDeadline(DualClockInstant deadline) {
        deadlineNanos = deadline.nanos();
        deadlineWallNanos = deadline.wallNanos();
    }

    void setTimer(DeferredActions actions) {
        DualClockInstant end = end();
        DualClockInstant next = renewal == null ? end : renewal.nextBefore(end);
        actions.setTimer( // if it fires too soon for the end, it is set again, exactly
                timer, next.after(actions.now()), LeaseRenewal.slackNanos(options.length()));
    }

    private void timerFired() {
        DeferredActions actions = queue.begin();
        try {
            tick(actions);
        } finally {
            actions.run();
        }
    }

    /** Sends the renewal or ends the lease if that is due. May be called at any time. */
    void tick(DeferredActions actions) {
        if (!isHeldNow(actions)) {
            return;
        }
        if (renewal != null) {
            renewal.sendIfDue(actions);
        }
        setTimer(actions);
    }

    // --- Renewals and extensions.

    LockCommand.Renew renewCommand(Duration length) {
        return new LockCommand.Renew(queue.name(), id, length);
    }

    /** A renewal was not answered. */
    void unconfirmed(Throwable cause, DeferredActions actions) {
        unanswered = cause;
        if (state == LeaseState.HELD) {
            state = LeaseState.UNCONFIRMED;
            long token = holder.fencingToken();
            Duration left = end().after(actions.now());
            actions.tell(listener -> listener.unconfirmed(queue.name().value(), token, left));
            actions.log(log -> log.unconfirmed(queue.name(), token, left, cause));
        }
    }

    /** The store has confirmed a renewal for so long. */
    void confirmed(DualClockInstant sent, Duration remaining, DeferredActions actions) {
        setDeadline(sent.endOf(remaining));
        if (state != LeaseState.HELD) { // rare, and a volatile write is slow
            state = LeaseState.HELD;
            unanswered = null;
            long token = holder.fencingToken();
            Duration left = end().after(actions.now());
            actions.tell(listener -> listener.confirmed(queue.name().value(), token, left));
            actions.log(log -> log.confirmed(queue.name(), token));
        }
    }

    /** Whether this answer to a renewal confirms the grant; else the lease is lost. */
    boolean isConfirmedBy(LockReply reply, DeferredActions actions) {
        if (reply instanceof LockReply.Granted granted && granted.token() == storeToken()) {
            return true;
        } else if (reply instanceof LockReply.Gone) {
            lose("the store no longer has it: " + WHY_GONE, actions);
        } else {
            lose("the store has granted it anew", actions);
        }
        return false;
    }

    /** Extends a fixed lease to this length from now. */
    void extend(Duration length, Lane lane, Consumer<ExtendResult> callback, DeferredActions actions) {
        extensions = extensions == null ? new ExtensionQueue(engine, queue, this, options.length()) : extensions;
        extensions.add(length, options.callTimeout(), lane, callback, actions);
    }

    /** The store has confirmed an extension until then. */
    void extended(DualClockInstant end, DeferredActions actions) {
        setDeadline(end);
        if (!expireIfOver(actions)) {
            setTimer(actions);
        }
    }

    // --- Hand-off and end.

    /** Whether this is the present holder, or the last one. */
    boolean isLatest(LeaseHolder other) {
        return holder == other;
    }

    /** Hands the lease to the next local waiter if that is allowed, else releases it at the store. */
    void release(Lane lane, Duration patience, Consumer<ReleaseResult> callback, DeferredActions actions) {
        LeaseHolder ending = holder;
        if (actions.hasListeners()) { // or each release would allocate an event that no listener gets
            Duration held = ending.held(actions.now());
            actions.tell(listener -> listener.released(queue.name().value(), ending.fencingToken(), held));
        }
        Waiter next = queue.pollForHandOff(this, actions);
        if (next != null) {
            holder = new LeaseHolder(this, ending.fencingToken() + 1, options.minimumHold(), actions.now());
            next.end(new AcquireResult.Held(holder), actions);
            actions.complete(callback, ReleaseResult.HELD);
            return;
        }
        LockCommand.Release command = releaseCommand();
        LeaseOptions atMost = optionsAtStore();
        end(LeaseState.RELEASED, actions);
        Lane releaseLane = queue.laneOfRelease(lane);
        actions.send(releaseLane, ReleaseRetry.awaited(engine, command, options.callTimeout(), patience, result -> {
            if (!result.answered()) {
                queue.releaseOrphan(command, atMost);
            } else if (!result.wasHeld()) {
                engine.log().lost(queue.name(), ending.fencingToken(), ending.held(engine.now()), OVER_BEFORE_RELEASE);
            }
            callback.accept(result);
        }));
        queue.leaseEnded(this, releaseLane, actions);
    }

    /** Releases it if it is held, and returns its holder. */
    Optional<LeaseHolder> releaseAtClose(Duration limit, DeferredActions actions) {
        if (!isHeldNow(actions)) {
            return Optional.empty();
        }
        LeaseHolder ending = holder;
        release(Lane.BACKGROUND, limit, ignored -> {}, actions);
        return Optional.of(ending);
    }

    /**
     * Whether the next waiter may have it without a call to the store. The number of hand-offs and their time are bounded, and the
     * options have to be equal.
     */
    boolean mayBeHandedTo(LeaseOptions next, DualClockInstant now) {
        TurnLimits turn = engine.turn();
        Duration passed = grantedAt.until(now);
        return state == LeaseState.HELD
                && handOffs() + 1 < turn.holders()
                && passed.compareTo(turn.time()) < 0
                && passed.compareTo(options.length()) < 0
                && options.renewed()
                && next.equals(options)
                && options.minimumHold().isZero()
                && holder.minimumHold().isZero()
                && engine.validity().isSettled(queue.name(), id)
                && engine.isOpen();
    }

    private int handOffs() {
        return (int) (holder.fencingToken() % LockReply.Granted.HOLDERS_PER_GRANT);
    }

    /** Ends the lease if its time is over; returns whether it ended now. */
    boolean expireIfOver(DeferredActions actions) {
        DualClockInstant now = actions.now();
        if (!isOpen(state) || end().isAfter(now)) {
            return false;
        }
        if (deadline().isAfter(now)) {
            lose("the store's permission to grant was not confirmed in time", actions);
        } else if (options.renewed()) {
            lose("no renewal was confirmed in time, " + whyUnconfirmed(), actions);
        } else {
            lose(
                    extensions == null
                            ? "its fixed length of " + DurationText.format(options.length()) + " is over"
                            : "its fixed length is over, and no further extension was confirmed in time",
                    actions);
        }
        return true;
    }

    private String whyUnconfirmed() {
        if (unanswered != null) {
            return "the store did not answer the latest one (" + LeaseLog.shown(unanswered) + ")";
        }
        return renewal != null && renewal.isSent()
                ? "the latest one has no answer yet"
                : "as this process or its machine stood still";
    }

    void lose(String why, DeferredActions actions) {
        if (!isOpen(state)) {
            return;
        }
        LeaseHolder losing = holder;
        long token = losing.fencingToken();
        LockLostException lost =
                new LockLostException("the lease of '" + queue.name() + "' with token " + token + " is lost: " + why);
        loss = lost;
        end(LeaseState.LOST, actions);
        losing.lost(lost, actions);
        Duration held = losing.held(actions.now());
        actions.tellLoss(listener -> listener.lost(queue.name().value(), token, held, lost));
        actions.log(log -> log.lost(queue.name(), token, held, why));
        // A renewal may be under way, which would keep the lock busy. The next request shares the call of the release.
        actions.sendOrphan(queue.hasWaiters() ? Lane.BACKGROUND : Lane.CLEANUP, releaseCommand(), optionsAtStore());
        queue.leaseEnded(this, Lane.BACKGROUND, actions);
    }

    private void end(LeaseState end, DeferredActions actions) {
        state = end;
        queue.chooseNextRequest(this);
        actions.count(Action.Count.LEASE_ENDED);
        actions.cancelTimer(timer);
        if (extensions != null) {
            extensions.leaseEnded(actions);
        }
    }

    private LockCommand.Release releaseCommand() {
        return new LockCommand.Release(queue.name(), id, holder.minimumHold(), tombstone);
    }

    /** The options with the longest time, from now, for which the store may keep the lease. */
    private LeaseOptions optionsAtStore() {
        return extensions == null
                ? options
                : new LeaseOptions(
                        extensions.longest(), options.renewed(), holder.minimumHold(), options.callTimeout());
    }
}
