package dev.holdfast.lock.internal;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.StoreCalls.Lane;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the store granted, until it is released or lost.
 *
 * <p>HELD ⇄ UNCONFIRMED → LOST or RELEASED. It ends at its deadline whatever renewals are on their way; a renewal that comes
 * back after the end changes nothing.
 */
public final class Grant {

    /** The clocks of two machines may differ in rate by this much: a lease counts as over one thousandth early. */
    private static final int CLOCK_SLACK = 1000;

    /** A renewal is due after a third of the lease, so that it can be repeated before the end. */
    private static final int RENEW_AFTER = 3;

    private static final int REPEAT_AFTER = 12;

    private static final int HAND_OFF_BITS = 8;

    private final Engine engine;
    private final LockName name;
    private final AcquisitionId id;
    private final Terms terms;
    private final long token;
    private final boolean doubtful;
    private final Moment since;
    private final ReentrantLock guard = new ReentrantLock();

    private LeaseState state = LeaseState.HELD;
    private Moment deadline;
    private Moment renewAt;
    private boolean renewing;
    private Timers.@Nullable Timer timer;
    private @Nullable LockLostException loss;
    private final List<Consumer<LockLostException>> onLoss = new ArrayList<>(1);

    Grant(
            Engine engine,
            LockName name,
            AcquisitionId id,
            Terms terms,
            Answer.Granted granted,
            Moment sent,
            boolean doubtful) {
        this.engine = engine;
        this.name = name;
        this.id = id;
        this.terms = terms;
        this.token = granted.token();
        this.deadline = deadline(sent, granted.remaining());
        this.doubtful = doubtful;
        this.since = engine.now();
        this.renewAt = renewalOf(sent, granted.remaining());
    }

    /** Until when a lease is valid of which this much remained when asked after {@code sent}. */
    static Moment deadline(Moment sent, Duration remaining) {
        return sent.plus(remaining.minus(remaining.dividedBy(CLOCK_SLACK)));
    }

    void begin() {
        engine.begin(this);
        guard.lock();
        try {
            arm();
        } finally {
            guard.unlock();
        }
    }

    /** The token that the application sees: the store's, and room for the number of a hand-off. */
    public long applicationToken() {
        return token << HAND_OFF_BITS;
    }

    /** Where it stands at this instant. */
    public LeaseState state() {
        guard.lock();
        try {
            endIfOver();
            return state;
        } finally {
            guard.unlock();
        }
    }

    /** How long it lasts unless renewed; zero if it is over. */
    public Duration remaining() {
        guard.lock();
        try {
            endIfOver();
            Duration left = deadline.after(engine.now());
            return isHeld() && !left.isNegative() ? left : Duration.ZERO;
        } finally {
            guard.unlock();
        }
    }

    /** How it was lost; null if it was not. */
    public @Nullable LockLostException loss() {
        guard.lock();
        try {
            endIfOver();
            return loss;
        } finally {
            guard.unlock();
        }
    }

    /** Has this called once when it is lost; at once, on this thread, if it is. */
    public void onLoss(Consumer<LockLostException> whatToDo) {
        LockLostException already;
        guard.lock();
        try {
            endIfOver();
            already = loss;
            if (isHeld()) {
                onLoss.add(whatToDo);
            }
        } finally {
            guard.unlock();
        }
        if (already != null) {
            whatToDo.accept(already);
        }
    }

    /**
     * Gives it back.
     *
     * @param patience for how long an unanswered release is repeated before {@code to} is told; it is repeated in the
     *     background after that
     * @param to told whether it was held, or why nobody answered; not called if this returns false
     * @return false if it was over before
     */
    public boolean release(Lane lane, Duration patience, Consumer<Ended> to) {
        guard.lock();
        try {
            endIfOver();
            if (!isHeld()) {
                return false;
            }
            end(LeaseState.RELEASED);
        } finally {
            guard.unlock();
        }
        Duration held = since.until(engine.now());
        engine.tell(listener -> listener.released(name.value(), applicationToken(), held));
        new Releasing(engine, owed(terms.minimumHold()), terms.callTimeout(), patience, end -> {
                    if (!end.answered()) {
                        engine.release(owed(terms.minimumHold()), terms);
                    }
                    to.accept(end);
                })
                .start(lane);
        return true;
    }

    /** Gives back what never got to the application: at once, whatever the minimum hold. */
    void discard() {
        guard.lock();
        try {
            endIfOver();
            if (!isHeld()) {
                return;
            }
            end(LeaseState.RELEASED);
        } finally {
            guard.unlock();
        }
        engine.tell(listener -> listener.released(name.value(), applicationToken(), Duration.ZERO));
        engine.release(owed(Duration.ZERO), terms);
    }

    /** Something is due: the renewal, or the end. Harmless at any time. */
    void tick() {
        boolean renew;
        guard.lock();
        try {
            endIfOver();
            renew = isHeld() && isRenewalDue();
            if (renew) {
                renewing = true;
            }
            arm();
        } finally {
            guard.unlock();
        }
        if (renew) {
            engine.call(Lane.RENEWAL, new Step.Renew(name, id, terms.length()), terms.callTimeout(), this::onRenewed);
        }
    }

    private void onRenewed(Reply reply) {
        guard.lock();
        try {
            renewing = false;
            endIfOver();
            if (!isHeld()) {
                return;
            }
            Answer answer = reply.answer();
            if (answer instanceof Answer.Granted granted && granted.token() == token) {
                state = LeaseState.HELD;
                renewAt = renewalOf(reply.sent(), granted.remaining());
                deadline = deadline(reply.sent(), granted.remaining()); // one renewal at a time: nothing is overtaken
            } else if (answer instanceof Answer.Unavailable) {
                doubt();
            } else {
                lose("the store no longer knows it; it answered " + answer);
            }
            endIfOver();
            arm();
        } finally {
            guard.unlock();
        }
    }

    private void doubt() {
        Moment now = engine.now();
        renewAt = now.plus(terms.length().dividedBy(REPEAT_AFTER));
        if (state == LeaseState.HELD) {
            state = LeaseState.UNCONFIRMED;
            Duration left = deadline.after(now);
            engine.tell(listener -> listener.unconfirmed(name.value(), applicationToken(), left));
        }
    }

    private void endIfOver() {
        if (isHeld() && !deadline.isAfter(engine.now())) {
            lose(
                    terms.renewed()
                            ? "no renewal was confirmed before its time was over"
                            : "its fixed length of " + terms.length() + " was over");
        }
    }

    private void lose(String why) {
        LockLostException lost = new LockLostException(
                "the lease of '" + name + "' with token " + applicationToken() + " is lost: " + why);
        loss = lost;
        end(LeaseState.LOST);
        onLoss.forEach(whatToDo -> engine.lost(() -> whatToDo.accept(lost)));
        engine.tell(listener -> listener.lost(name.value(), applicationToken(), lost));
        engine.release(
                owed(terms.minimumHold()),
                terms); // a renewal may be on its way that would keep the lock from others for nothing
    }

    private void end(LeaseState end) {
        state = end;
        if (timer != null) {
            timer.cancel();
        }
        engine.over(this);
    }

    private void arm() {
        if (timer != null) {
            timer.cancel();
        }
        if (isHeld()) {
            Moment now = engine.now();
            boolean renewalFirst = terms.renewed() && !renewing && deadline.isAfter(renewAt);
            Duration delay = (renewalFirst ? renewAt : deadline).after(now);
            timer = engine.after(delay.isNegative() ? Duration.ZERO : delay, this::tick);
        }
    }

    private boolean isRenewalDue() {
        return terms.renewed() && !renewing && !renewAt.isAfter(engine.now());
    }

    /** After a third of what was confirmed, which is less than the length if a repetition confirmed it. */
    private Moment renewalOf(Moment sent, Duration remaining) {
        Duration confirmed = remaining.compareTo(terms.length()) < 0 ? remaining : terms.length();
        return sent.plus(confirmed.dividedBy(RENEW_AFTER));
    }

    private boolean isHeld() {
        return state == LeaseState.HELD || state == LeaseState.UNCONFIRMED;
    }

    private Step.Release owed(Duration keep) {
        return new Step.Release(name, id, keep, doubtful ? terms.length() : Duration.ZERO);
    }
}
