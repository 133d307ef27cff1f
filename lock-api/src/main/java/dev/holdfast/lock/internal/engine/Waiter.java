package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.internal.time.Timers;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.regime.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One caller that wants a lock, from its question to its one outcome. Its state belongs to its line, and is touched under the
 * line's lock only.
 */
public final class Waiter {

    /** A call gets this long at least, also near the end of a wait: less would not ask the store but only overtax it. */
    static final Duration SHORTEST_CALL = Duration.ofMillis(100);

    private final Engine engine;
    private final WaitQueue line;
    private final LeaseOptions terms;
    private final WaitPolicy patience;
    private final AcquireCallback asker;
    private final DualClockInstant since;

    /** How many replies its line had when it came. */
    private long repliesBefore;
    /** The next definite answer of the store's is its outcome. */
    private boolean last;

    /** Its line looks at the silence of the store for it. */
    private boolean watched;

    private Timers.@Nullable Timer waitOver;
    /** What it has got. */
    private volatile @Nullable StoreLease hold;

    Waiter(Engine engine, WaitQueue line, LeaseOptions terms, WaitPolicy patience, AcquireCallback asker) {
        this.engine = engine;
        this.line = line;
        this.terms = terms;
        this.patience = patience;
        this.asker = asker;
        this.since = engine.now();
        this.last = patience.asksOnce();
    }

    /**
     * Gives up.
     *
     * @return false if there is an outcome already
     */
    public boolean withdraw() {
        return line.giveUp(this, new AcquireResult.Withdrawn());
    }

    /** Gives up, and gives back what it has got: nobody knows of it. */
    public void abandon() {
        boolean unused = withdraw();
        StoreLease granted = hold;
        if (granted != null) {
            granted.discard();
        }
    }

    /** How long ago it came. */
    public Duration waited() {
        return since.until(engine.now());
    }

    LeaseOptions terms() {
        return terms;
    }

    WaitPolicy patience() {
        return patience;
    }

    /** Whether it takes the next definite answer for its outcome, rather than a place in a queue. */
    boolean isLast() {
        return last;
    }

    boolean isAnswered(long replies) {
        return replies != repliesBefore;
    }

    /** As long as one call may take; but who asks once is not kept beyond its patience. */
    Duration callTimeout() {
        return patience.asksOnce() ? bounded(patience.silence().minus(waited())) : terms.callTimeout();
    }

    /**
     * The same for the call that it waits for itself. What comes in the background keeps nobody, and a short timeout there
     * would only make a slow store look silent.
     */
    Duration ownCallTimeout(Lane lane) {
        return lane == Lane.CALLER && !patience.asksOnce()
                ? bounded(patience.limit().orElse(terms.callTimeout()))
                : callTimeout();
    }

    /** Whether a call may take all of its time without keeping this waiter for longer than it wants to wait. */
    boolean hasTimeForACall() {
        return patience.limit()
                .filter(limit -> limit.minus(waited()).compareTo(terms.callTimeout()) < 0)
                .isEmpty();
    }

    /**
     * Has its own thread do this, which would have to be woken by its outcome anyway.
     *
     * @return false if it has none to lend, or too little time: then nothing is done
     */
    boolean lend(Runnable task) {
        return hasTimeForACall() && asker.lend(task);
    }

    private Duration bounded(Duration left) {
        Duration atLeast = left.compareTo(SHORTEST_CALL) < 0 ? SHORTEST_CALL : left;
        return min(atLeast, terms.callTimeout());
    }

    /** It has come to stand in its line, which had so many replies by then. */
    void begin(long replies) {
        repliesBefore = replies;
        if (!patience.asksOnce()) {
            patience.limit().ifPresent(limit -> waitOver = engine.after(limit, () -> line.waitIsOver(this)));
        }
    }

    /** Whether it is seen to that it ends in time though no reply comes; asked by the thread that has it join. */
    boolean isSeenTo() {
        return watched || hold != null;
    }

    void watched() {
        watched = true;
    }

    /** Whether a silent store ends it, as the end of its wait does not come first. */
    boolean isLimitedBySilence() {
        return patience.asksOnce()
                || patience.limit()
                        .filter(limit -> limit.compareTo(patience.silence()) <= 0)
                        .isEmpty();
    }

    /** Whether the end of its wait is so late that replies may lie unread. */
    boolean isOverLate() {
        return patience.limit()
                .filter(limit -> OutageTracker.isLate(since.plus(limit), engine.now()))
                .isPresent();
    }

    /** It has asked nothing yet, or what was answered lies unread, and waits for the one reply that it will get anyway. */
    void giveLastChance(Duration left) {
        last = true;
        waitOver = engine.after(left, () -> line.waitIsOver(this));
    }

    /**
     * For how long an attempt must have gone unanswered to be called silence at the end of the wait.
     *
     * @param answered whether the one before it was answered; if not, half the wait is enough
     */
    Duration patienceWith(boolean answered) {
        Duration most = min(patience.silence(), terms.callTimeout());
        if (answered) {
            return most.compareTo(SHORTEST_CALL) < 0 ? SHORTEST_CALL : most;
        }
        return min(most, waited()).dividedBy(2);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** It stands in its line no more. */
    void end(AcquireResult outcome, DeferredActions effects) {
        if (waitOver != null) {
            waitOver.cancel();
        }
        Duration waited = waited();
        if (outcome instanceof AcquireResult.Held held) {
            hold = held.hold();
            long token = held.hold().applicationToken();
            engine.tell(effects, listener -> listener.acquired(line.name().value(), token, waited));
        } else {
            engine.tell(effects, listener -> listener.gaveUp(line.name().value(), waited));
        }
        effects.add(() -> asker.ended(outcome));
    }
}
