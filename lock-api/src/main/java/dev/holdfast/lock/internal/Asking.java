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

    /** When the present attempt was begun. */
    private Moment attemptedAt;
    /** When the first attempt was begun that has not been answered since; null if the last one was. */
    private @Nullable Moment silentSince;

    private @Nullable Throwable silentBecause;
    private boolean anyReply;
    private boolean lastChance;
    private Timers.@Nullable Timer pause;
    private Timers.@Nullable Timer waitOver;

    Asking(Engine engine, LockName name, Terms terms, Patience patience, Consumer<Outcome> to) {
        this.engine = engine;
        this.name = name;
        this.terms = terms;
        this.patience = patience;
        this.to = to;
        this.since = engine.now();
        this.attemptedAt = since;
        this.backoff = engine.newBackoff();
        this.id = engine.newId();
    }

    void start() {
        guard.lock();
        try {
            if (phase == Phase.OVER) {
                return; // closed before it was begun
            }
            if (!patience.asksOnce()) {
                patience.limit().ifPresent(limit -> waitOver = engine.after(limit, this::waitIsOver));
            }
        } finally {
            guard.unlock();
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
            Duration left = SHORTEST_CALL.minus(waited());
            if (!anyReply && left.compareTo(Duration.ZERO) > 0) {
                // The caller has asked nothing yet but this, and waits for its reply anyway.
                lastChance = true;
                waitOver = engine.after(left, this::waitIsOver);
                return;
            }
            outcome = isSilent() ? unavailable() : new Outcome.Busy();
        } finally {
            guard.unlock();
        }
        end(outcome);
    }

    /** Whether the end of the wait finds a store that does not answer, rather than a lock that is busy. */
    private boolean isSilent() {
        if (silentSince != null) {
            return true;
        }
        Duration most =
                patience.silence().compareTo(terms.callTimeout()) < 0 ? patience.silence() : terms.callTimeout();
        return phase == Phase.ASKING && attemptedAt.until(engine.now()).compareTo(most) >= 0;
    }

    private void send(Lane lane, AcquisitionId attempt) {
        Step.Acquire step = engine.acquire(name, attempt, terms, !patience.asksOnce());
        engine.call(lane, step, timeout(lane), this::onReply);
    }

    /**
     * As long as one call may take; but who asks once, or waits for this very call, is not kept beyond its patience. What
     * comes in the background keeps nobody, and a short timeout there would only make a slow store look silent.
     */
    private Duration timeout(Lane lane) {
        Duration left = terms.callTimeout();
        if (patience.asksOnce()) {
            left = patience.silence().minus(waited());
        } else if (lane == Lane.CALLER) {
            left = patience.limit().orElse(left);
        }
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
            attemptedAt = engine.now();
            attempt = id;
        } finally {
            guard.unlock();
        }
        send(Lane.BACKGROUND, attempt);
    }

    /** There is only ever one attempt on its way, and it is by the present id. */
    private void onReply(Reply reply) {
        Step.@Nullable Release owed = null;
        Outcome outcome = null;
        guard.lock();
        try {
            note(reply);
            if (phase == Phase.OVER) {
                owed = owed();
            } else {
                outcome = outcomeOf(reply);
                if (outcome != null) {
                    owed = outcome instanceof Outcome.Held ? null : owed();
                    over();
                } else {
                    if (isUseless(reply)) {
                        owed = owed();
                        startAnew();
                    }
                    pauseFor(pauseAfter(reply));
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

    private void note(Reply reply) {
        Answer answer = reply.answer();
        anyReply = true;
        if (answer instanceof Answer.Unavailable unavailable) {
            doubtful = true;
            silentBecause = unavailable.why();
        } else {
            known = answer instanceof Answer.Granted || answer instanceof Answer.Waiting;
        }
        if (answer instanceof Answer.Unavailable || isUseless(reply)) {
            silentSince = silentSince == null ? attemptedAt : silentSince;
        } else {
            silentSince = null;
        }
    }

    private @Nullable Outcome outcomeOf(Reply reply) {
        Answer answer = reply.answer();
        if (answer instanceof Answer.Unavailable || isUseless(reply)) {
            return lastChance || silence().compareTo(patience.silence()) >= 0 ? unavailable() : null;
        } else if (answer instanceof Answer.Granted granted) {
            return new Outcome.Held(new Grant(engine, name, id, terms, granted, reply.sent(), doubtful));
        } else {
            return patience.asksOnce() || lastChance ? new Outcome.Busy() : null;
        }
    }

    /** The id is over, or its lease is: the answer came too late, or an earlier attempt was granted and went unheard. */
    private boolean isUseless(Reply reply) {
        return reply.answer() instanceof Answer.Gone
                || (reply.answer() instanceof Answer.Granted granted
                        && !Grant.deadline(reply.sent(), granted.remaining()).isAfter(engine.now()));
    }

    private Duration pauseAfter(Reply reply) {
        if (reply.answer() instanceof Answer.Busy busy) {
            return backoff.busy(busy.askAgain());
        } else if (reply.answer() instanceof Answer.Waiting waiting) {
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
        return (silentSince == null ? attemptedAt : silentSince).until(engine.now());
    }

    private Outcome unavailable() {
        String why = silentBecause == null ? "" : ": " + silentBecause;
        return new Outcome.Unavailable(
                "the store did not answer for " + silence().toMillis() + " ms when asked for '" + name + "'" + why,
                silentBecause);
    }

    private void deliver(Outcome outcome) {
        Duration waited = waited();
        if (outcome instanceof Outcome.Held held) {
            long token = held.grant().applicationToken();
            engine.tell(listener -> listener.acquired(name.value(), token, waited));
            held.grant().begin();
        } else {
            engine.tell(listener -> listener.gaveUp(name.value(), waited));
        }
        to.accept(outcome);
    }
}
