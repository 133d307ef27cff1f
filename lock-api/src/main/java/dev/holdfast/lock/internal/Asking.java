package dev.holdfast.lock.internal;

import dev.holdfast.lock.internal.StoreCalls.Lane;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One caller asking for one lock, from its first attempt to its outcome.
 *
 * <p>ASKING (an attempt is on its way) ⇄ PAUSED (until it is worth asking again) → OVER. An attempt that was not answered is
 * repeated by the same id, so that it cannot be granted twice. Whatever comes back once it is OVER is released: a caller that
 * gave up never owns the lock later.
 */
public final class Asking {

    private enum Phase {
        ASKING,
        PAUSED,
        OVER
    }

    /** A call gets this long at least, also near the end of a wait: less would not ask the store but only overtax it. */
    private static final Duration SHORTEST_CALL = Duration.ofMillis(100);

    private final Engine engine;
    private final LockName name;
    private final Terms terms;
    private final Patience patience;
    private final Consumer<Outcome> to;
    private final Moment since;
    private final Backoff backoff;
    private final ReentrantLock guard = new ReentrantLock();

    private Phase phase = Phase.ASKING;
    private AcquisitionId id;
    /** An attempt by this id was not answered: it may be carried out yet. */
    private boolean doubtful;
    /** This id holds the lock, or a place in the store's queue. */
    private boolean known;

    private boolean everAnswered;
    private Moment answeredLast;
    private @Nullable Throwable silentBecause;
    private Timers.@Nullable Timer pause;
    private Timers.@Nullable Timer waitOver;

    Asking(Engine engine, LockName name, Terms terms, Patience patience, Consumer<Outcome> to) {
        this.engine = engine;
        this.name = name;
        this.terms = terms;
        this.patience = patience;
        this.to = to;
        this.since = engine.now();
        this.answeredLast = since;
        this.backoff = engine.newBackoff();
        this.id = engine.newId();
    }

    void start() {
        if (!patience.asksOnce()) {
            patience.limit().ifPresent(limit -> waitOver = engine.after(limit, this::waitIsOver));
        }
        send(Lane.CALLER, id);
    }

    /**
     * Gives up.
     *
     * @return false if there is an outcome already
     */
    public boolean withdraw() {
        return end(new Outcome.Withdrawn());
    }

    /** How long ago it was begun. */
    public Duration waited() {
        return since.until(engine.now());
    }

    boolean end(Outcome outcome) {
        Step.@Nullable Release owed;
        guard.lock();
        try {
            if (phase == Phase.OVER) {
                return false;
            }
            // An attempt on its way is undone when its reply is there, and known to be in doubt or not.
            owed = phase == Phase.PAUSED ? owed() : null;
            over();
        } finally {
            guard.unlock();
        }
        undo(owed);
        deliver(outcome);
        return true;
    }

    private void waitIsOver() {
        Outcome outcome;
        guard.lock();
        try {
            boolean unavailable = !everAnswered || silence().compareTo(patience.silence()) >= 0;
            outcome = unavailable ? unavailable() : new Outcome.Busy();
        } finally {
            guard.unlock();
        }
        end(outcome);
    }

    private void send(Lane lane, AcquisitionId attempt) {
        Step.Acquire step = engine.acquire(name, attempt, terms, !patience.asksOnce());
        engine.call(lane, step, timeout(), this::onReply);
    }

    /** What is left of the wait, but not more than one call may take. */
    private Duration timeout() {
        Duration most =
                patience.asksOnce() ? patience.silence() : patience.limit().orElse(terms.callTimeout());
        Duration left = most.minus(waited());
        if (left.compareTo(SHORTEST_CALL) < 0) {
            left = SHORTEST_CALL;
        }
        return left.compareTo(terms.callTimeout()) < 0 ? left : terms.callTimeout();
    }

    private void askAgain() {
        AcquisitionId attempt;
        guard.lock();
        try {
            if (phase != Phase.PAUSED) {
                return;
            }
            phase = Phase.ASKING;
            attempt = id;
        } finally {
            guard.unlock();
        }
        send(Lane.BACKGROUND, attempt);
    }

    /** There is only ever one attempt on its way, and it is by the present id. */
    private void onReply(Reply reply) {
        Step.@Nullable Release owed = null;
        @Nullable Outcome outcome = null;
        guard.lock();
        try {
            note(reply.answer());
            if (phase == Phase.OVER) {
                owed = owed();
            } else {
                outcome = outcomeOf(reply);
                if (outcome != null) {
                    owed = outcome instanceof Outcome.Held ? null : owed();
                    over();
                } else if (isUseless(reply)) {
                    owed = owed();
                    startAnew();
                    pauseFor(backoff.silent());
                } else {
                    pauseFor(pauseAfter(reply.answer()));
                }
            }
        } finally {
            guard.unlock();
        }
        undo(owed);
        if (outcome != null) {
            deliver(outcome);
        }
    }

    private void note(Answer answer) {
        if (answer instanceof Answer.Unavailable unavailable) {
            doubtful = true;
            silentBecause = unavailable.why();
        } else {
            everAnswered = true;
            answeredLast = engine.now();
            known = answer instanceof Answer.Granted || answer instanceof Answer.Waiting;
        }
    }

    private @Nullable Outcome outcomeOf(Reply reply) {
        Answer answer = reply.answer();
        if (answer instanceof Answer.Granted granted && !isUseless(reply)) {
            return new Outcome.Held(
                    new Grant(engine, name, id, terms, granted.token(), reply.sent(), deadline(reply), doubtful));
        } else if (answer instanceof Answer.Busy || answer instanceof Answer.Waiting) {
            return patience.asksOnce() ? new Outcome.Busy() : null;
        } else if (answer instanceof Answer.Unavailable) {
            return silence().compareTo(patience.silence()) >= 0 ? unavailable() : null;
        } else if (answer instanceof Answer.Released) {
            return new Outcome.Unavailable("the store answered an Acquire with " + answer, null);
        } else {
            return null;
        }
    }

    /** The id is over, or its lease is: the answer came too late, or an earlier attempt was granted and went unheard. */
    private boolean isUseless(Reply reply) {
        return reply.answer() instanceof Answer.Gone
                || (reply.answer() instanceof Answer.Granted && !deadline(reply).isAfter(engine.now()));
    }

    private static Moment deadline(Reply reply) {
        return Grant.deadline(reply.sent(), ((Answer.Granted) reply.answer()).remaining());
    }

    private Duration pauseAfter(Answer answer) {
        if (answer instanceof Answer.Busy busy) {
            return backoff.busy(busy.askAgain());
        } else if (answer instanceof Answer.Waiting waiting) {
            return backoff.busy(waiting.askAgain());
        } else {
            return backoff.silent();
        }
    }

    private void pauseFor(Duration delay) {
        phase = Phase.PAUSED;
        pause = engine.after(delay, this::askAgain);
    }

    private void startAnew() {
        id = engine.newId();
        doubtful = false;
        known = false;
    }

    private void over() {
        phase = Phase.OVER;
        if (pause != null) {
            pause.cancel();
        }
        if (waitOver != null) {
            waitOver.cancel();
        }
        engine.over(this);
    }

    /** What the store must be told so that the present id comes to nothing. */
    private Step.@Nullable Release owed() {
        return known || doubtful
                ? new Step.Release(name, id, Duration.ZERO, doubtful ? terms.length() : Duration.ZERO)
                : null;
    }

    private void undo(Step.@Nullable Release owed) {
        if (owed != null) {
            engine.release(owed, terms);
        }
    }

    private Duration silence() {
        return answeredLast.until(engine.now());
    }

    private Outcome unavailable() {
        String why = silentBecause == null ? "" : ": " + silentBecause;
        return new Outcome.Unavailable(
                "the store did not answer for " + silence().toMillis() + " ms when asked for '" + name + "'" + why,
                silentBecause);
    }

    private void deliver(Outcome outcome) {
        if (outcome instanceof Outcome.Held held) {
            held.grant().begin();
            engine.tell(listener -> listener.acquired(name.value(), held.grant().applicationToken(), waited()));
        } else {
            engine.tell(listener -> listener.gaveUp(name.value(), waited()));
        }
        to.accept(outcome);
    }
}
