package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.DurationLimits;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.DualClockInstant;
import dev.holdfast.lock.spi.support.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the store granted to this process, until it is released or lost. Several local holders may have it, one after the other;
 * each is known by its fencing token, which is the store's token and the number of the hand-off. What a holder asks for by a
 * token that was handed on finds its lease released.
 *
 * <p>HELD ⇄ UNCONFIRMED → LOST or RELEASED. It ends at its deadline whatever renewals are under way; a renewal that is answered
 * after the end changes nothing.
 *
 * <p>Thread-safe: changed under the lock of the name only. What is read without that lock is volatile.
 */
public final class StoreLease {

    /** A grant is handed on within the process for this long at most: other processes wait, too. */
    private static final Duration MAX_TURN = Duration.ofMillis(20);

    /** The clocks of this process and of the store differ in rate by less than this part. */
    private static final int CLOCK_SLACK = 500;

    private final Engine engine;
    private final WaitQueue queue;
    private final AcquisitionId id;
    private final LeaseOptions options;
    /** For how long an unanswered attempt of the same id may matter; zero if all were answered. */
    private final Duration tombstone;

    private final DualClockInstant grantedAt;
    /** The grant was not older than {@link #oldestAge} when the attempt was sent that the store answered. */
    private final DualClockInstant sentAt;

    private final Duration oldestAge;
    private final CoalescingTimer.Alarm timer;

    private volatile LeaseState state = LeaseState.HELD;
    /** Of the present holder, or of the last one. */
    private volatile long fencingToken;
    /** Written before the state says LOST. */
    private volatile @Nullable LockLostException loss;

    private DualClockInstant heldSince;
    /** From the grant. */
    private Duration minimumHold;

    private List<Consumer<LockLostException>> lossListeners = List.of();
    /** Null until it is extended for the first time. */
    private @Nullable ExtensionQueue extensions;

    // Two instants, in numbers: a new object at each renewal would cost the garbage collector more than the renewal.
    // A reader without the lock may see the deadline of one clock before a renewal and that of the other after it: the
    // lease is valid only if it is by both.
    private volatile long deadlineNanos;
    private volatile long deadlineWallNanos;
    private long renewNanos;
    private long renewWallNanos;
    private boolean renewing;

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
        this.fencingToken = LockReply.Granted.fencingToken(granted.token(), 0);
        this.tombstone = pending.isUnconfirmed()
                ? max(options.length(), pending.options().length())
                : Duration.ZERO;
        this.grantedAt = now;
        this.sentAt = sent;
        this.oldestAge = max(Duration.ZERO, pending.options().length().minus(granted.remaining()));
        this.heldSince = now;
        this.minimumHold = options.minimumHold();
        this.timer = engine.newTimer(this::timerFired);
        setDeadline(sent.endOf(granted.remaining()));
        setRenewal(RenewalSchedule.first(sent, granted.remaining(), options.length()));
    }

    void begin(DeferredActions actions) {
        actions.count(Action.Count.LEASE_BEGAN);
        setTimer(actions);
    }

    /** The fencing token of the present holder. */
    long fencingToken() {
        return fencingToken;
    }

    long storeToken() {
        return fencingToken / LockReply.Granted.HOLDERS_PER_GRANT;
    }

    private int handOffs() {
        return (int) (fencingToken % LockReply.Granted.HOLDERS_PER_GRANT);
    }

    /** The state for the holder with this token, at this instant. Takes no lock while the lease lasts. */
    public LeaseState state(long holder) {
        LeaseState read = state; // before the token: a later holder's state is no concern of this one
        if (holder != fencingToken) {
            return LeaseState.RELEASED;
        }
        if (!isOpen(read) || end().isAfter(engine.now())) {
            return read;
        }
        DeferredActions actions = queue.begin();
        try {
            expireIfOver(actions);
            return holder == fencingToken ? state : LeaseState.RELEASED;
        } finally {
            actions.run();
        }
    }

    /** How long the holder with this token has it unless it is renewed; zero if it is over. */
    public Duration remaining(long holder) {
        Duration left = end().after(engine.now());
        return isOpen(state(holder)) && !left.isNegative() ? left : Duration.ZERO;
    }

    /** How the holder with this token lost it; null if it did not. */
    public @Nullable LockLostException loss(long holder) {
        return state(holder) == LeaseState.LOST ? loss : null;
    }

    /** Calls the listener once when the holder with this token loses the lease; at once, on this thread, if it has. */
    public void onLoss(long holder, Consumer<LockLostException> listener) {
        DeferredActions actions = queue.begin();
        LockLostException known;
        try {
            if (isHeldBy(holder, actions)) {
                lossListeners = lossListeners.isEmpty() ? new ArrayList<>(1) : lossListeners;
                lossListeners.add(listener);
            }
            known = holder == fencingToken ? loss : null;
        } finally {
            actions.run();
        }
        if (known != null) {
            listener.accept(known);
        }
    }

    /**
     * Releases the lease of the holder with this token.
     *
     * @param lane which thread sends the first attempt
     * @param patience for how long an unanswered release is repeated before the callback is told; it is repeated in the
     *     background after that
     * @param callback told whether it was held, or that the store did not answer; not called if this returns false
     * @return false if it was over before
     */
    public boolean release(long holder, Lane lane, Duration patience, Consumer<ReleaseResult> callback) {
        DeferredActions actions = queue.begin();
        try {
            if (!isHeldBy(holder, actions)) {
                return false;
            }
            release(minimumHold, lane, patience, callback, actions);
            return true;
        } finally {
            actions.run();
        }
    }

    /** Releases a lease that the application never got to see: without its minimum hold, and in the background. */
    public void discard(long holder) {
        DeferredActions actions = queue.begin();
        try {
            if (isHeldBy(holder, actions)) {
                release(Duration.ZERO, Lane.BACKGROUND, Duration.ZERO, ignored -> {}, actions);
            }
        } finally {
            actions.run();
        }
    }

    void releaseAtClose(DeferredActions actions) {
        if (isHeldBy(fencingToken, actions)) {
            release(minimumHold, Lane.BACKGROUND, Duration.ZERO, ignored -> {}, actions);
        }
    }

    /**
     * Replaces the minimum hold of the holder with this token by this one, which counts from now.
     *
     * @return false if it was over before
     */
    public boolean holdAtLeast(long holder, Duration minimum) {
        DeferredActions actions = queue.begin();
        try {
            if (!isHeldBy(holder, actions)) {
                return false;
            }
            minimumHold =
                    minimum.isZero() ? minimum : min(oldestAge(actions.now()).plus(minimum), DurationLimits.MAX);
            return true;
        } finally {
            actions.run();
        }
    }

    /** How old the grant is at most: by whichever clock of this process went on for longer. */
    private Duration oldestAge(DualClockInstant now) {
        long nanos = Math.max(now.nanos() - sentAt.nanos(), now.wallNanos() - sentAt.wallNanos());
        return oldestAge.plusNanos(Math.max(0, nanos));
    }

    /** Whether it is renewed in the background; else it may be extended. */
    public boolean isRenewed() {
        return options.renewed();
    }

    /**
     * Extends the fixed lease of the holder with this token to this length from now, and never shortens it.
     *
     * @param lane which thread sends the first attempt
     * @param callback told how it ended; not called if this returns false
     * @return false if it was over before
     */
    public boolean extend(long holder, Duration length, Lane lane, Consumer<ExtendResult> callback) {
        DeferredActions actions = queue.begin();
        try {
            if (!isHeldBy(holder, actions)) {
                return false;
            }
            extensions = extensions == null ? new ExtensionQueue(engine, queue, this, options.length()) : extensions;
            extensions.add(length, options.callTimeout(), lane, callback, actions);
            return true;
        } finally {
            actions.run();
        }
    }

    /** @param patience how long the caller waits for it; an answer after the end of the lease is of no use, either */
    void sendExtension(
            Lane lane, Duration length, Duration patience, Consumer<StoreResponse> callback, DeferredActions actions) {
        Duration left = end().after(actions.now());
        Duration timeout = patience.compareTo(left) < 0 ? patience : left;
        actions.send(lane, new LockCommand.Renew(queue.name(), id, length), max(timeout, Waiter.MIN_CALL), callback);
    }

    /**
     * The store has confirmed it for so long. The end moves sooner only if the store knows of less than it once confirmed, as after
     * a failover that lost an extension.
     */
    void extended(DualClockInstant sent, Duration remaining, DeferredActions actions) {
        DualClockInstant known = deadline();
        DualClockInstant confirmed = sent.endOf(remaining);
        DualClockInstant now = actions.now();
        DualClockInstant latestAtStore = now.plus(remaining.plus(remaining.dividedBy(CLOCK_SLACK)));
        boolean isForgotten = latestAtStore.until(known).compareTo(Duration.ZERO) > 0;
        boolean isSooner =
                confirmed.after(now).compareTo(known.after(now)) < 0; // by both clocks, as the lease itself ends
        setDeadline(isSooner && !isForgotten ? known : confirmed);
        if (!expireIfOver(actions)) {
            setTimer(actions);
        }
    }

    /** Hands the lease to the next local waiter if that is allowed, else releases it at the store. */
    private void release(
            Duration minimumHold,
            Lane lane,
            Duration patience,
            Consumer<ReleaseResult> callback,
            DeferredActions actions) {
        long token = fencingToken;
        if (actions.hasListeners()) { // else the pair of acquire and release allocates an event that no listener gets
            Duration held = heldSince.until(actions.now());
            actions.tell(listener -> listener.released(queue.name().value(), token, held));
        }
        Waiter next = queue.pollForHandOff(this, actions);
        if (next != null) {
            fencingToken = token + 1;
            heldSince = actions.now();
            lossListeners = List.of();
            next.end(new AcquireResult.Held(this, token + 1), actions);
            actions.complete(callback, ReleaseResult.HELD);
            return;
        }
        Lane releaseLane = queue.laneOfRelease(lane);
        LockCommand.Release command = releaseCommand(minimumHold);
        LeaseOptions atMost = optionsAtStore();
        end(LeaseState.RELEASED, actions);
        actions.send(releaseLane, ReleaseRetry.awaited(engine, command, options.callTimeout(), patience, result -> {
            if (!result.answered()) {
                queue.releaseOrphan(command, atMost);
            }
            callback.accept(result);
        }));
        queue.leaseEnded(this, releaseLane, actions);
    }

    /**
     * Whether the next waiter may have it without a call to the store: a bounded number of times, for a bounded time, and only
     * between leases with equal options.
     */
    boolean mayBeHandedTo(LeaseOptions next, DualClockInstant now) {
        Duration maxTurn = options.length().compareTo(MAX_TURN) < 0 ? options.length() : MAX_TURN;
        return state == LeaseState.HELD
                && handOffs() + 1 < engine.maxHandOffs()
                && grantedAt.until(now).compareTo(maxTurn) < 0
                && options.renewed()
                && next.equals(options)
                && options.minimumHold().isZero()
                && minimumHold.isZero()
                && engine.validity().isSettled(queue.name(), id)
                && engine.isOpen();
    }

    private void timerFired() {
        DeferredActions actions = queue.begin();
        try {
            tick(actions);
        } finally {
            actions.run();
        }
    }

    /** Does what is due: sends the renewal, or ends the lease. Harmless at any time. */
    void tick(DeferredActions actions) {
        if (expireIfOver(actions) || !isOpen(state)) {
            return;
        }
        if (options.renewed()
                && !renewing
                && renewal().after(actions.now()).toNanos() < RenewalSchedule.slackNanos(options.length())) {
            renewing = true;
            actions.send(
                    Lane.RENEWAL,
                    new LockCommand.Renew(queue.name(), id, options.length()),
                    options.callTimeout(),
                    this::renewalAnswered);
        }
        setTimer(actions);
    }

    private void renewalAnswered(StoreResponse response) {
        DeferredActions actions = queue.begin();
        try {
            renewing = false;
            if (!expireIfOver(actions) && isOpen(state)) {
                takeRenewal(response, actions);
            }
        } finally {
            actions.run();
        }
    }

    private void takeRenewal(StoreResponse response, DeferredActions actions) {
        LockReply reply = response.reply();
        if (reply instanceof LockReply.Unavailable) {
            setRenewal(RenewalSchedule.repeated(actions.now(), options.length(), engine.newBackoff()));
            if (state == LeaseState.HELD) {
                state = LeaseState.UNCONFIRMED;
                long token = fencingToken;
                Duration left = end().after(actions.now());
                actions.tell(listener -> listener.unconfirmed(queue.name().value(), token, left));
            }
        } else if (isConfirmedBy(reply, actions) && reply instanceof LockReply.Granted granted) {
            setRenewal(RenewalSchedule.first(response.sent(), granted.remaining(), options.length()));
            setDeadline(response.sent().endOf(granted.remaining())); // one renewal at a time: none overtakes another
            if (state != LeaseState.HELD) { // nearly always it is, and to write it again would not come for nothing
                state = LeaseState.HELD;
                long token = fencingToken;
                Duration left = end().after(actions.now());
                actions.tell(listener -> listener.confirmed(queue.name().value(), token, left));
            }
        }
        if (!expireIfOver(actions) && isOpen(state)) {
            setTimer(actions);
        }
    }

    /** Whether this answer to a renewal confirms the grant; else the lease is lost. */
    boolean isConfirmedBy(LockReply reply, DeferredActions actions) {
        if (reply instanceof LockReply.Granted granted && granted.token() == storeToken()) {
            return true;
        } else if (reply instanceof LockReply.Gone) {
            lose("the store has ended it: too early, or because it was released by force", actions);
        } else {
            lose("the store answered its renewal with " + reply, actions);
        }
        return false;
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
            lose("no renewal was confirmed in time", actions);
        } else {
            lose(
                    extensions == null
                            ? "its fixed length of " + DurationText.format(options.length()) + " is over"
                            : "its fixed length is over, and no further extension was confirmed in time",
                    actions);
        }
        return true;
    }

    void lose(String why, DeferredActions actions) {
        if (!isOpen(state)) {
            return;
        }
        long token = fencingToken;
        LockLostException lost =
                new LockLostException("the lease of '" + queue.name() + "' with token " + token + " is lost: " + why);
        loss = lost;
        end(LeaseState.LOST, actions);
        lossListeners.forEach(listener -> actions.pushLoss(listener, lost));
        Duration held = heldSince.until(actions.now());
        actions.tellLoss(listener -> listener.lost(queue.name().value(), token, held, lost));
        // A renewal may be under way that would keep the lock busy for nothing.
        actions.sendOrphan(
                queue.hasWaiters() ? Lane.BACKGROUND : Lane.CLEANUP, releaseCommand(minimumHold), optionsAtStore());
        queue.leaseEnded(this, queue.laneOfRelease(Lane.BACKGROUND), actions);
    }

    private void end(LeaseState end, DeferredActions actions) {
        state = end;
        actions.count(Action.Count.LEASE_ENDED);
        actions.cancelTimer(timer);
        if (extensions != null) {
            extensions.leaseEnded(actions);
        }
    }

    /** With the longest time for which the store may keep it, from now. */
    private LeaseOptions optionsAtStore() {
        return extensions == null
                ? options
                : new LeaseOptions(extensions.longest(), options.renewed(), minimumHold, options.callTimeout());
    }

    /** Whether it is held at this instant, by the clock. */
    boolean isHeld(DualClockInstant now) {
        return isOpen(state) && end().isAfter(now);
    }

    /** Whether it is held, after it was ended if its time is over. */
    boolean isHeldNow(DeferredActions actions) {
        return !expireIfOver(actions) && isOpen(state);
    }

    private boolean isHeldBy(long holder, DeferredActions actions) {
        expireIfOver(actions);
        return holder == fencingToken && isOpen(state);
    }

    private static boolean isOpen(LeaseState state) {
        return state == LeaseState.HELD || state == LeaseState.UNCONFIRMED;
    }

    private void setTimer(DeferredActions actions) {
        DualClockInstant end = end();
        DualClockInstant renewal = renewal();
        boolean renewalFirst = options.renewed() && !renewing && end.isAfter(renewal);
        actions.setTimer( // if it fires too soon for the end, it is set again, exactly
                timer,
                (renewalFirst ? renewal : end).after(actions.now()),
                RenewalSchedule.slackNanos(options.length()));
    }

    /** When it is over, as far as is known now. */
    private DualClockInstant end() {
        return engine.validity().end(queue.name(), id, deadline());
    }

    private DualClockInstant deadline() {
        return new DualClockInstant(deadlineNanos, deadlineWallNanos);
    }

    private void setDeadline(DualClockInstant deadline) {
        deadlineNanos = deadline.nanos();
        deadlineWallNanos = deadline.wallNanos();
    }

    private DualClockInstant renewal() {
        return new DualClockInstant(renewNanos, renewWallNanos);
    }

    private void setRenewal(DualClockInstant renewal) {
        renewNanos = renewal.nanos();
        renewWallNanos = renewal.wallNanos();
    }

    private LockCommand.Release releaseCommand(Duration minimumHold) {
        return new LockCommand.Release(queue.name(), id, minimumHold, tombstone);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }
}
