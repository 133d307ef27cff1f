package dev.holdfast.lock.internal.state;

import dev.holdfast.lock.LeaseKind;
import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreReply;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.DurationLimits;
import dev.holdfast.lock.spi.DurationText;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A grant of the store to this process, until it is released or lost. Holders of this process may have it one after the other, each with
 * a fencing token of its own: the lease is that of the latest token.
 *
 * <p>HELD ⇄ UNCONFIRMED → LOST or RELEASED. It ends at its deadline whatever renewals are under way; a renewal that is answered
 * after the end changes nothing. {@link WaitQueue#end} does what follows from a loss.
 *
 * <p>Changed under the lock of the name only. What is read without that lock is volatile.
 */
public final class StoreLease {

    private static final String WHY_GONE =
            "it was released by force, or the server has lost it or has ended it too early";
    private static final String GONE = "the store no longer has it: " + WHY_GONE;
    /** Why a lease that a caller released counts as lost. */
    public static final String OVER_BEFORE_RELEASE = "the store no longer had it at its release: " + WHY_GONE;

    private final EngineSettings settings;
    private final LockName name;
    private final AcquisitionId id;
    private final LeaseOptions options;
    /** For how long an unanswered attempt of the same id may matter; zero if all were answered. */
    private final Duration tombstone;

    private final DualClockInstant grantedAt;
    /** When the attempt was sent that the store granted; the grant was at most {@link #ageWhenSent} old by then. */
    private final DualClockInstant sentAt;

    private final Duration ageWhenSent;
    private final StateTransition.Alarm alarm;
    /** Null for a fixed lease. */
    private final @Nullable LeaseRenewal renewal;

    private volatile LeaseState state = LeaseState.HELD;
    /** Of the present holder, or of the last one. */
    private volatile long fencingToken;
    /** Written before the state says LOST. */
    private volatile @Nullable LockLostException loss;

    // The present holder, or the last one.
    private DualClockInstant heldSince;
    /** Counts from the grant. */
    private Duration minimumHold;

    private List<Consumer<LockLostException>> lossListeners = List.of();

    /** Why the latest renewal was not answered; null if it was. */
    private @Nullable Throwable unanswered;
    /** Null until it is extended for the first time. */
    private LeaseExtension.@Nullable Queue extensions;

    // The deadline, in numbers: a new object at each renewal would cost the garbage collector more than the renewal.
    // A reader without the lock may see the deadline of one clock before a renewal and that of the other after it: the
    // lease is valid only if it is by both.
    private volatile long deadlineNanos;
    private volatile long deadlineWallNanos;

    /**
     * A grant that has just arrived.
     *
     * @param sent an instant before the attempt was sent that the store answered: the lease counts from there
     * @param asked the length that this attempt asked for
     * @param tombstone for how long an unanswered attempt of the same id may matter; zero if all were answered
     * @param options of the first holder
     */
    StoreLease(
            EngineSettings settings,
            LockName name,
            AcquisitionId id,
            LockReply.Granted granted,
            DualClockInstant sent,
            Duration asked,
            Duration tombstone,
            LeaseOptions options,
            StateTransition transition) {
        this.settings = settings;
        this.name = name;
        this.id = id;
        this.options = options;
        this.fencingToken = LockReply.Granted.fencingToken(granted.token(), 0);
        this.heldSince = transition.now();
        this.minimumHold = options.minimumHold();
        this.tombstone = tombstone;
        this.grantedAt = transition.now();
        this.sentAt = sent;
        this.ageWhenSent = Durations.max(Duration.ZERO, asked.minus(granted.remaining()));
        this.alarm = transition.newAlarm(this::tick);
        setDeadline(sent.endOf(granted.remaining()));
        if (options.renewed()) {
            this.renewal = new LeaseRenewal();
            renewal.confirmed(sent, granted.remaining(), options.length());
        } else {
            this.renewal = null;
        }
    }

    void begin(StateTransition transition) {
        transition.leaseBegan();
        setTimer(transition);
    }

    public LockName name() {
        return name;
    }

    public LeaseOptions options() {
        return options;
    }

    public LeaseState state() {
        return state;
    }

    /** How it was lost; null if it was not. */
    public @Nullable LockLostException loss() {
        return loss;
    }

    /** The fencing token of the present holder, or of the last one: the store's token and the number of the hand-off in one. */
    public long fencingToken() {
        return fencingToken;
    }

    long storeToken() {
        return fencingToken / LockReply.Granted.HOLDERS_PER_GRANT;
    }

    // --- Until when it is held.

    public static boolean isOpen(LeaseState state) {
        return state == LeaseState.HELD || state == LeaseState.UNCONFIRMED;
    }

    /** Whether it is held at this instant, by the clock. */
    boolean isHeld(DualClockInstant now) {
        return isOpen(state) && end().isAfter(now);
    }

    /** Whether this is the token of the present holder. A lease whose time is over counts as held until {@link #expireIfOver}. */
    public boolean isHeldBy(long token) {
        return isOpen(state) && fencingToken == token;
    }

    /** Its end as known now, whatever its state. Reading it may take a moment: read the time to compare it with afterwards. */
    public DualClockInstant end() {
        return settings.validity().end(name, id, deadline());
    }

    /** When its own time is over: the store may withdraw its permission to grant sooner. */
    private DualClockInstant deadline() {
        return new DualClockInstant(deadlineNanos, deadlineWallNanos);
    }

    private void setDeadline(DualClockInstant deadline) {
        deadlineNanos = deadline.nanos();
        deadlineWallNanos = deadline.wallNanos();
    }

    private void setTimer(StateTransition transition) {
        DualClockInstant end = end();
        DualClockInstant next = renewal == null ? end : renewal.nextBefore(end);
        transition.setTimer( // if it fires too soon for the end, it is set again, exactly
                alarm, next.leftAt(transition.now()), LeaseRenewal.slackNanos(options.length()));
    }

    /** Sends the renewal or ends the lease if that is due. May be called at any time. */
    void tick(StateTransition transition) {
        expireIfOver(transition);
        if (!isOpen(state)) {
            return;
        }
        if (renewal != null && renewal.isDue(options.length(), transition.now())) {
            renewal.sent();
            transition.send(Lane.RENEWAL, renewCommand(options.length()), options.callTimeout(), this::renewalReplied);
        }
        setTimer(transition);
    }

    // --- Renewals.

    private LockCommand.Renew renewCommand(Duration length) {
        return new LockCommand.Renew(name, id, length, options.share());
    }

    private void renewalReplied(StoreReply received, StateTransition transition) {
        if (renewal == null) {
            return; // a fixed lease has none
        }
        renewal.replied();
        expireIfOver(transition);
        if (!isOpen(state)) {
            return;
        }
        if (received.reply() instanceof LockReply.Unavailable unavailable) {
            renewal.unanswered(options.length(), settings.newBackoff(), transition.now());
            unconfirmed(unavailable.cause(), transition);
        } else if (isSameGrant(received.reply()) && received.reply() instanceof LockReply.Granted granted) {
            renewal.confirmed(received.sent(), granted.remaining(), options.length());
            confirmed(received.sent(), granted.remaining(), transition);
        } else {
            lose(whyNotConfirmed(received.reply()), transition);
            return;
        }
        expireIfOver(transition); // the reply may be old
        if (isOpen(state)) {
            setTimer(transition);
        }
    }

    private void unconfirmed(Throwable cause, StateTransition transition) {
        unanswered = cause;
        if (state == LeaseState.HELD) {
            state = LeaseState.UNCONFIRMED;
            transition.unconfirmed(name, options.share().kind(), fencingToken, end().leftAt(transition.now()), cause);
        }
    }

    private void confirmed(DualClockInstant sent, Duration remaining, StateTransition transition) {
        setDeadline(sent.endOf(remaining));
        if (state != LeaseState.HELD) { // rare, and a volatile write is slow
            state = LeaseState.HELD;
            unanswered = null;
            transition.confirmed(name, options.share().kind(), fencingToken, end().leftAt(transition.now()));
        }
    }

    /** Whether this reply to a renewal confirms the grant. */
    private boolean isSameGrant(LockReply reply) {
        return reply instanceof LockReply.Granted granted && granted.token() == storeToken();
    }

    private static String whyNotConfirmed(LockReply reply) {
        return reply instanceof LockReply.Gone ? GONE : "the store has granted it again";
    }

    // --- Extensions of a fixed lease.

    /** Extends a fixed lease, which is held, to this length from now. */
    public void extend(Duration length, Lane lane, Consumer<ExtendResult> callback, StateTransition transition) {
        extensions = extensions == null ? new LeaseExtension.Queue(options.length()) : extensions;
        LeaseExtension extension = new LeaseExtension(
                length, options.callTimeout(), settings.newBackoff(), callback, this::extensionIsDue, transition);
        if (extensions.add(extension)) {
            send(extension, lane, transition);
        } else {
            extension.setTimer(transition);
        }
    }

    private void send(LeaseExtension extension, Lane lane, StateTransition transition) {
        if (extensions != null) {
            extensions.sent(extension);
        }
        Duration left = end().leftAt(transition.now()); // a later reply is of no use
        transition.send(
                lane,
                renewCommand(extension.length()),
                extension.attempt(left, transition),
                (received, next) -> extensionReplied(extension, received, next));
        extension.setTimer(transition);
    }

    private void extensionReplied(LeaseExtension extension, StoreReply received, StateTransition transition) {
        expireIfOver(transition);
        if (isOpen(state)) {
            take(extension, received, transition);
            sendNextExtension(transition);
        }
    }

    private void take(LeaseExtension extension, StoreReply received, StateTransition transition) {
        LockReply reply = received.reply();
        if (reply instanceof LockReply.Unavailable unavailable) {
            extension.failed(unavailable.cause(), transition);
        } else if (!isSameGrant(reply)) {
            lose(whyNotConfirmed(reply), transition);
        } else if (reply instanceof LockReply.Granted granted && !extension.isOver()) {
            setDeadline(LeaseExtension.Queue.confirmedEnd(
                    deadline(), received.sent(), granted.remaining(), transition.now()));
            if (!expireIfOver(transition)) {
                setTimer(transition);
            }
            extension.confirmed(granted.remaining(), transition);
        }
    }

    private void extensionIsDue(LeaseExtension extension, StateTransition transition) {
        expireIfOver(transition);
        if (isOpen(state)) {
            if (extension.tick(transition)) {
                send(extension, Lane.BACKGROUND, transition);
            }
            sendNextExtension(transition);
        }
    }

    private void sendNextExtension(StateTransition transition) {
        LeaseExtension next = extensions == null ? null : extensions.next();
        if (next != null) {
            send(next, Lane.BACKGROUND, transition);
        }
    }

    // --- Its holders.

    /** Calls the listener once when the present holder loses the lease. */
    public void addLossListener(Consumer<LockLostException> listener) {
        lossListeners = lossListeners.isEmpty() ? new ArrayList<>(1) : lossListeners;
        lossListeners.add(listener);
    }

    /** Forgets one call of {@link #addLossListener} with an equal listener for the present holder, if there was one. */
    public void removeLossListener(Consumer<LockLostException> listener) {
        if (!lossListeners.isEmpty()) {
            lossListeners.remove(listener);
        }
    }

    /** Replaces the minimum hold by this one, which counts from now. */
    public void holdAtLeast(Duration minimum, DualClockInstant now) {
        Duration fromGrant = minimum.isZero() ? minimum : oldestAge(now).plus(minimum);
        minimumHold = Durations.min(fromGrant, DurationLimits.MAX);
    }

    /** Drops the minimum hold, as the application never got to see the lease. */
    public void dropMinimumHold() {
        minimumHold = Duration.ZERO;
    }

    /** How old the grant is at most: by whichever clock of this process went on for longer. */
    private Duration oldestAge(DualClockInstant now) {
        long nanos = Math.max(now.nanos() - sentAt.nanos(), now.wallNanos() - sentAt.wallNanos());
        return ageWhenSent.plusNanos(Math.max(0, nanos));
    }

    private int handOffs() {
        return (int) (fencingToken % LockReply.Granted.HOLDERS_PER_GRANT);
    }

    /**
     * Whether the next waiter may have it without a call to the store. The number of hand-offs and their time are bounded, and the
     * options have to be equal.
     */
    boolean mayBeHandedTo(LeaseOptions next, StateTransition transition) {
        Duration passed = grantedAt.until(transition.now());
        return state == LeaseState.HELD
                && settings.turn().allowsNext(handOffs() + 1, passed)
                && passed.compareTo(options.length()) < 0
                && options.renewed()
                && next.equals(options)
                && options.minimumHold().isZero()
                && minimumHold.isZero()
                && settings.validity().isSettled(name, id)
                && transition.isOpen();
    }

    /** The next holder has it from now on. */
    void handOver(DualClockInstant now) {
        long before = fencingToken;
        fencingToken = before + 1;
        heldSince = now;
        minimumHold = options.minimumHold();
        lossListeners = List.of();
    }

    // --- Its end.

    void tellReleased(StateTransition transition) {
        if (transition.hasListeners()) { // or each release would allocate an event that no listener gets
            long token = fencingToken;
            Duration held = heldSince.until(transition.now());
            LeaseKind kind = options.share().kind();
            transition.tell(listener -> listener.released(name.value(), kind, token, held));
        }
    }

    /** The last holder releases it: {@link #sendRelease} has to follow. */
    void release(StateTransition transition) {
        end(LeaseState.RELEASED, transition);
    }

    StateTransition.SentRelease sendRelease(
            Lane lane, Duration patience, Consumer<ReleaseResult> callback, StateTransition transition) {
        return transition.release(
                lane, releaseCommand(), optionsAtStore(), patience, fencingToken, heldSince, callback);
    }

    /** Ends the lease if its time is over; returns whether it ended now. */
    public boolean expireIfOver(StateTransition transition) {
        DualClockInstant now = transition.now();
        return isOpen(state) && !end().isAfter(now) && lose(whyOver(now), transition);
    }

    private String whyOver(DualClockInstant now) {
        if (deadline().isAfter(now)) {
            String why = settings.validity().whyUnconfirmed(name, id);
            return why == null ? GONE : "the store's permission to grant was not confirmed in time" + why;
        } else if (options.renewed()) {
            return "no renewal was confirmed in time, " + whyUnconfirmed();
        }
        return extensions == null
                ? "its fixed length of " + DurationText.format(options.length()) + " is over"
                : "its fixed length is over, and no further extension was confirmed in time";
    }

    private String whyUnconfirmed() {
        if (unanswered != null) {
            return "the store did not answer the latest one (" + CauseLine.of(unanswered) + ")";
        }
        return renewal != null && renewal.isSent()
                ? "the latest one has no answer yet"
                : "as this process or its machine stood still";
    }

    /** Ends the lease as lost; returns false if it had ended before. */
    boolean lose(String why, StateTransition transition) {
        if (!isOpen(state)) {
            return false;
        }
        long token = fencingToken;
        LockLostException lost =
                new LockLostException("the lease of '" + name + "' with token " + token + " is lost: " + why);
        loss = lost;
        end(LeaseState.LOST, transition);
        transition.lost(
                name, options.share().kind(), token, heldSince.until(transition.now()), lost, why, lossListeners);
        return true;
    }

    private void end(LeaseState end, StateTransition transition) {
        state = end;
        transition.leaseEnded();
        transition.cancelTimer(alarm);
        if (extensions != null) {
            extensions.leaseEnded(transition);
        }
    }

    LockCommand.Release releaseCommand() {
        return new LockCommand.Release(name, id, minimumHold, tombstone, options.share());
    }

    /** The options with the longest time, from now, for which the store may keep the lease. */
    LeaseOptions optionsAtStore() {
        return extensions == null
                ? options
                : options.withLease(extensions.longest(), options.renewed(), options.callTimeout())
                        .withMinimumHold(minimumHold);
    }
}
