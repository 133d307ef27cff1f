package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DualClockInstant;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a line asks the store: one id, from its first attempt until it is granted or given up. Touched under the line's lock only.
 *
 * <p>ASKING (an attempt is on its way) ⇄ PAUSED (until it is worth asking again) → OVER. An attempt that was not answered is
 * repeated by the same id, so that it cannot be granted twice. Whatever comes back once it is OVER is released: nobody who
 * gave up ever owns the lock later.
 */
final class PendingAcquire {

    private enum Phase {
        ASKING,
        PAUSED,
        OVER
    }

    private static final Duration AT_ONCE = Duration.ofMillis(1);

    private final Engine engine;
    private final WaitQueue line;
    private final Backoff backoff;

    private Phase phase = Phase.PAUSED;
    private AcquisitionId id;
    /** An attempt by this id was not answered: it may be carried out yet. */
    private boolean doubtful;
    /** This id holds the lock, or a place in the store's queue. */
    private boolean known;
    /** The latest definite answer was "not yet", and no attempt has failed since. */
    private boolean refused;
    /** A signal came while an attempt was on its way, which may have been too early. */
    private boolean again;
    /** It counts among those that a signal may concern. */
    private boolean listens;

    /** What the latest attempt asked for. */
    private LeaseOptions terms;

    private boolean queued;
    private DualClockInstant attemptedAt;
    private Timers.@Nullable Timer pause;

    PendingAcquire(Engine engine, WaitQueue line, LeaseOptions terms) {
        this.engine = engine;
        this.line = line;
        this.terms = terms;
        this.backoff = engine.newBackoff();
        this.id = engine.newId();
        this.attemptedAt = engine.now();
    }

    AcquisitionId id() {
        return id;
    }

    LeaseOptions terms() {
        return terms;
    }

    boolean isDoubtful() {
        return doubtful;
    }

    boolean isOver() {
        return phase == Phase.OVER;
    }

    /** Whether the store's latest word is that the lock is another's. */
    boolean isRefused() {
        return refused;
    }

    DualClockInstant attemptedAt() {
        return attemptedAt;
    }

    /** Whether an attempt is on its way. */
    boolean isAsking() {
        return phase == Phase.ASKING;
    }

    /** Whether an attempt has been on its way for so long. */
    boolean isUnansweredFor(Duration time) {
        return phase == Phase.ASKING && attemptedAt.until(engine.now()).compareTo(time) >= 0;
    }

    /**
     * Asks.
     *
     * @param wanted by whoever is the first in the line now
     * @param queue whether to take a place in the store's queue
     */
    void ask(Lane lane, LeaseOptions wanted, boolean queue, Duration timeout, DeferredActions effects) {
        if (doubtful && !wanted.length().equals(terms.length())) {
            startAnew(effects); // else a lease of another length might be granted
        }
        endPause();
        phase = Phase.ASKING;
        terms = wanted;
        queued = queue;
        again = false;
        attemptedAt = engine.now();
        Step.Acquire step = engine.acquire(line.name(), id, wanted, queue);
        effects.call(lane, step, timeout, reply -> line.onReply(this, reply));
    }

    /** There is only ever one attempt on its way, and it is by the present id. */
    void note(Answer answer) {
        if (phase == Phase.ASKING) {
            phase = Phase.PAUSED;
        }
        if (answer instanceof Answer.Unavailable) {
            doubtful = true;
            refused = false;
        } else {
            // A refusal that has nothing to say of a place leaves an earlier one as it was.
            known = answer instanceof Answer.Granted
                    || answer instanceof Answer.Waiting
                    || (known && answer instanceof Answer.Busy);
            refused = answer instanceof Answer.Busy || answer instanceof Answer.Waiting;
        }
    }

    /** The id is over, or its lease is: another one has to be asked for. */
    void startAnew(DeferredActions effects) {
        giveUpId(Lane.BACKGROUND, effects); // as the next is asked for: it may be in the next one's way
        id = engine.newId();
        doubtful = false;
        known = false;
    }

    /** Pauses after this answer, until {@link WaitQueue#askAgain}. */
    void pauseAfter(Answer answer, boolean queue, DeferredActions effects) {
        if (refused && !listens) {
            listens = true;
            engine.listen(effects);
        }
        if (refused && (again || (queue && !queued))) {
            line.askAgain(this, effects);
        } else {
            pauseFor(pauseOf(answer));
        }
    }

    /** Whatever went wrong on the way, it asks again some time: nobody else would. */
    void pauseUnlessPaused() {
        if (phase == Phase.PAUSED && pause == null) {
            pauseFor(backoff.silent());
        }
    }

    private void pauseFor(Duration delay) {
        pause = engine.after(delay, () -> line.askAgain(this));
    }

    private Duration pauseOf(Answer answer) {
        if (answer instanceof Answer.Waiting waiting) {
            return engine.hasSignals() ? atLeast(AT_ONCE, waiting.askAgain()) : backoff.busy(waiting.askAgain());
        } else if (answer instanceof Answer.Busy busy) {
            return backoff.busy(busy.askAgain());
        } else {
            return backoff.silent();
        }
    }

    private static Duration atLeast(Duration least, Duration duration) {
        return duration.compareTo(least) < 0 ? least : duration;
    }

    boolean isPaused() {
        return phase == Phase.PAUSED;
    }

    /** It is time to ask again. */
    void pauseIsOver() {
        pause = null;
    }

    private void endPause() {
        if (pause != null) {
            pause.cancel();
            pause = null;
        }
    }

    /** It may be this ticket's turn. */
    void signalled(Optional<AcquisitionId> whose, DeferredActions effects) {
        if (whose.isPresent() && !whose.get().equals(id)) {
            return;
        }
        if (phase == Phase.PAUSED) {
            line.askByWhoWaits(this, effects);
        } else {
            again = true;
        }
    }

    /** Nobody wants it any more. An attempt on its way is undone when its reply is there, and known to be in doubt or not. */
    void withdraw(DeferredActions effects) {
        boolean settled = phase == Phase.PAUSED;
        over();
        if (settled) {
            giveUpId(Lane.ORPHANS, effects);
        }
    }

    /** It asks no more; when it was granted, the id is the grant's from now on. */
    void over() {
        phase = Phase.OVER;
        endPause();
        if (listens) {
            listens = false;
            engine.listenNoMore();
        }
    }

    /** Tells the store whatever it must be told so that the present id comes to nothing. */
    void giveUpId(Lane lane, DeferredActions effects) {
        if (known || doubtful) {
            Duration remember = doubtful ? terms.length() : Duration.ZERO;
            effects.release(new Step.Release(line.name(), id, Duration.ZERO, remember), terms, lane);
        }
    }
}
