package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.time.CoalescingTimer;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.internal.transport.StoreResponse;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DualClockInstant;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * What the store granted, until it is given back or lost: this process's turn. One {@link StoreLease} after the other has it.
 * Touched under the line's lock only.
 *
 * <p>HELD ⇄ UNCONFIRMED → LOST or RELEASED. It ends at its deadline whatever renewals are on their way; a renewal that comes
 * back after the end changes nothing.
 */
final class StoreGrant {

    /** A renewal is due after a third of the lease, so that it can be repeated before the end. */
    private static final int RENEW_AFTER = 3;

    private static final int REPEAT_AFTER = 12;

    /** So much of the lease a renewal may come sooner, to go together with others; but no more than 33 ms. */
    private static final int SOONER = 512;

    private static final long SOONEST_NANOS = 1L << 25;

    /** For so long at most a turn goes from waiter to waiter: other processes wait, too. */
    private static final Duration LONGEST_TURN = Duration.ofMillis(20);

    private final Engine engine;
    private final WaitQueue line;
    private final AcquisitionId id;
    private final LeaseOptions terms;
    private final long token;
    /** For how long an attempt of the same id, which was not answered, may matter yet; zero if all were. */
    private final Duration remember;

    private final DualClockInstant since;
    private final CoalescingTimer.Alarm alarm;

    private LeaseState state = LeaseState.HELD;
    private StoreLease present;
    // Two moments, in numbers: a new object at each renewal would cost the garbage collector more than the renewal.
    private long deadlineNanos;
    private long deadlineWallMillis;
    private long renewNanos;
    private long renewWallMillis;
    private boolean renewing;

    /** @param first who has it first */
    StoreGrant(
            Engine engine,
            WaitQueue line,
            PendingAcquire ticket,
            Answer.Granted granted,
            DualClockInstant sent,
            Waiter first) {
        this.engine = engine;
        this.line = line;
        this.id = ticket.id();
        this.terms = first.terms();
        this.token = granted.token();
        setDeadline(sent.endOf(granted.remaining()));
        this.remember = ticket.isDoubtful() ? max(terms.length(), ticket.terms().length()) : Duration.ZERO;
        this.since = engine.now();
        setRenewal(renewalOf(sent, granted.remaining()));
        this.alarm = engine.newAlarm(() -> line.change(this::tick));
        this.present = new StoreLease(engine, line, this, 0);
    }

    void begin() {
        engine.begin();
        arm();
    }

    /** Who has it now. */
    StoreLease present() {
        return present;
    }

    long token() {
        return token;
    }

    Duration minimumHold() {
        return terms.minimumHold();
    }

    LeaseState state() {
        return state;
    }

    /** Whether it is held at this instant; by the clock, not by what was noticed so far. */
    boolean isHeld() {
        return isOpen() && end().isAfter(engine.now());
    }

    private boolean isOpen() {
        return state == LeaseState.HELD || state == LeaseState.UNCONFIRMED;
    }

    /** How long it lasts unless renewed; zero if it is over. */
    Duration remaining() {
        Duration left = end().after(engine.now());
        return isOpen() && !left.isNegative() ? left : Duration.ZERO;
    }

    /**
     * Whether the next waiter may have it, without the store being asked: for a bounded number of times and a bounded time,
     * and only between leases that do not differ.
     */
    boolean mayBeHandedTo(LeaseOptions next) {
        Duration longest = terms.length().compareTo(LONGEST_TURN) < 0 ? terms.length() : LONGEST_TURN;
        return state == LeaseState.HELD
                && present.number() + 1 < engine.handoff()
                && since.until(engine.now()).compareTo(longest) < 0
                && terms.renewed()
                && next.equals(terms)
                && terms.minimumHold().isZero()
                && engine.tenure().isSettled(line.name(), id)
                && engine.isOpen();
    }

    /**
     * The present holder gives it back: to the next waiter, or to the store.
     *
     * @param keep for how long since the grant the lock stays busy at least
     * @param to told whether it was held, or why nobody answered
     */
    void release(Duration keep, Lane lane, Duration patience, Consumer<ReleaseResult> to, DeferredActions effects) {
        Waiter next = line.takeNext(this);
        if (next != null) {
            present = new StoreLease(engine, line, this, present.number() + 1);
            next.end(new AcquireResult.Held(present), effects);
            effects.add(() -> to.accept(ReleaseResult.HELD));
            return;
        }
        Lane whose = line.laneOfReturn(lane);
        Step.Release owed = owed(keep);
        end(LeaseState.RELEASED);
        ReleaseRetry.awaited(engine, owed, terms.callTimeout(), patience, end -> {
                    if (!end.answered()) {
                        line.change(again -> again.release(owed, terms, Lane.ORPHANS));
                    }
                    to.accept(end);
                })
                .start(whose, effects);
        line.turnIsOver(this, whose, effects);
    }

    void releaseAtClose(DeferredActions effects) {
        if (!endIfOver(effects)) {
            present.release(terms.minimumHold(), Lane.BACKGROUND, Duration.ZERO, end -> {}, effects);
        }
    }

    /** Something is due: the renewal, or the end. Harmless at any time. */
    void tick(DeferredActions effects) {
        if (!endIfOver(effects) && isOpen()) {
            if (terms.renewed() && !renewing && isDue(renewal().after(engine.now()))) {
                renewing = true;
                Step.Renew step = new Step.Renew(line.name(), id, terms.length());
                effects.call(
                        Lane.RENEWAL,
                        step,
                        terms.callTimeout(),
                        reply -> line.change(renewed -> onRenewed(reply, renewed)));
            }
            arm();
        }
    }

    private void onRenewed(StoreResponse reply, DeferredActions effects) {
        renewing = false;
        if (endIfOver(effects) || !isOpen()) {
            return;
        }
        Answer answer = reply.answer();
        if (answer instanceof Answer.Granted granted && granted.token() == token) {
            if (state != LeaseState.HELD) { // nearly always it is, and to write it again would not come for nothing
                state = LeaseState.HELD;
            }
            setRenewal(renewalOf(reply.sent(), granted.remaining()));
            setDeadline(reply.sent().endOf(granted.remaining())); // one renewal at a time: nothing is overtaken
        } else if (answer instanceof Answer.Unavailable) {
            doubt(effects);
        } else {
            lose(
                    answer instanceof Answer.Gone
                            ? "it is over for the store: ended there too early, or taken away by an operator"
                            : "its renewal was answered with " + answer,
                    effects);
        }
        if (!endIfOver(effects) && isOpen()) {
            arm();
        }
    }

    private void doubt(DeferredActions effects) {
        DualClockInstant now = engine.now();
        setRenewal(now.plus(engine.newBackoff().spread(terms.length().dividedBy(REPEAT_AFTER))));
        if (state == LeaseState.HELD) {
            state = LeaseState.UNCONFIRMED;
            Duration left = end().after(now);
            long held = present.applicationToken();
            engine.tell(effects, listener -> listener.unconfirmed(line.name().value(), held, left));
        }
    }

    /** Returns whether it was over just now. */
    boolean endIfOver(DeferredActions effects) {
        DualClockInstant now = engine.now();
        if (!isOpen() || end().isAfter(now)) {
            return false;
        }
        lose(whyOver(now), effects);
        return true;
    }

    private String whyOver(DualClockInstant now) {
        if (deadline().isAfter(now)) {
            return "that its store may still grant was not confirmed in time";
        }
        return terms.renewed()
                ? "no renewal was confirmed before its time was over"
                : "its fixed length of " + terms.length() + " was over";
    }

    private DualClockInstant deadline() {
        return new DualClockInstant(deadlineNanos, deadlineWallMillis);
    }

    private void setDeadline(DualClockInstant deadline) {
        deadlineNanos = deadline.nanos();
        deadlineWallMillis = deadline.wallMillis();
    }

    private DualClockInstant renewal() {
        return new DualClockInstant(renewNanos, renewWallMillis);
    }

    private void setRenewal(DualClockInstant renewal) {
        renewNanos = renewal.nanos();
        renewWallMillis = renewal.wallMillis();
    }

    /** When it is over, as far as is known now. */
    private DualClockInstant end() {
        return engine.tenure().end(line.name(), id, deadline());
    }

    void lose(String why, DeferredActions effects) {
        if (!isOpen()) {
            return;
        }
        Step.Release owed = owed(terms.minimumHold());
        end(LeaseState.LOST);
        present.lost(
                new LockLostException("the lease of '" + line.name() + "' with token " + present.applicationToken()
                        + " is lost: " + why),
                effects);
        // A renewal may be on its way that would keep the lock from others for nothing.
        effects.release(owed, terms, line.isWanted() ? Lane.BACKGROUND : Lane.ORPHANS);
        line.turnIsOver(this, line.laneOfReturn(Lane.BACKGROUND), effects);
    }

    private void end(LeaseState end) {
        state = end;
        engine.over();
        alarm.cancel();
    }

    private void arm() {
        DualClockInstant now = engine.now();
        DualClockInstant end = end();
        DualClockInstant renewal = renewal();
        boolean renewalFirst = terms.renewed() && !renewing && end.isAfter(renewal);
        alarm.set(
                (renewalFirst ? renewal : end).after(now),
                slack(),
                now); // too soon for the end: sets it again, exactly
    }

    /** Whether less is left until the renewal than it may come sooner by. */
    private boolean isDue(Duration left) {
        return left.toNanos() < slack();
    }

    /** A power of two, in nanoseconds, so that those of leases of different lengths come together, too. */
    private long slack() {
        return Math.max(
                1, Math.min(SOONEST_NANOS, Long.highestOneBit(terms.length().toNanos() / SOONER)));
    }

    /** After a third of what was confirmed, which is less than the length if a repetition confirmed it. */
    private DualClockInstant renewalOf(DualClockInstant sent, Duration remaining) {
        Duration confirmed = remaining.compareTo(terms.length()) < 0 ? remaining : terms.length();
        return sent.plus(Duration.ofNanos(confirmed.toNanos() / RENEW_AFTER));
    }

    private Step.Release owed(Duration keep) {
        return new Step.Release(line.name(), id, keep, remember);
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }
}
