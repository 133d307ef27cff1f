package dev.holdfast.lock.internal.engine;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.LockLostException;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.regime.DualClockInstant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One holder's time with the lock: a grant of the store's, or the part of one between two hand-offs. Present until it is
 * released or lost, and then so for good.
 *
 * <p>Thread-safe, by the lock of its line.
 */
public final class StoreLease {

    private final Engine engine;
    private final WaitQueue line;
    private final StoreGrant grant;
    private final int number;
    private final DualClockInstant since;

    /** How it ended; null while it lasts. */
    private @Nullable LeaseState end;

    private @Nullable LockLostException loss;
    private final List<Consumer<LockLostException>> onLoss = new ArrayList<>(1);

    /** @param number of the hand-off, from 0 for whom the store granted the lock to */
    StoreLease(Engine engine, WaitQueue line, StoreGrant grant, int number) {
        this.engine = engine;
        this.line = line;
        this.grant = grant;
        this.number = number;
        this.since = engine.now();
    }

    int number() {
        return number;
    }

    /** The token that the application sees: the store's, and the number of the hand-off. */
    public long applicationToken() {
        return Answer.Granted.fencingToken(grant.token(), number);
    }

    /** Where it stands at this instant. */
    public LeaseState state() {
        return line.changed(effects -> {
            grant.endIfOver(effects);
            return end == null ? grant.state() : end;
        });
    }

    /** How long it lasts unless renewed; zero if it is over. */
    public Duration remaining() {
        return line.changed(effects -> {
            grant.endIfOver(effects);
            return end == null ? grant.remaining() : Duration.ZERO;
        });
    }

    /** How it was lost; null if it was not. */
    public @Nullable LockLostException loss() {
        return line.changed(effects -> {
            grant.endIfOver(effects);
            return loss;
        });
    }

    /** Has this called once when it is lost; at once, on this thread, if it is. */
    public void onLoss(Consumer<LockLostException> whatToDo) {
        LockLostException already = line.changed(effects -> {
            grant.endIfOver(effects);
            if (end == null) {
                onLoss.add(whatToDo);
            }
            return loss;
        });
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
    public boolean release(Lane lane, Duration patience, Consumer<ReleaseResult> to) {
        return line.changed(effects -> {
            grant.endIfOver(effects);
            if (end != null) {
                return false;
            }
            release(grant.minimumHold(), lane, patience, to, effects);
            return true;
        });
    }

    /** Gives back what never got to the application: at once, whatever the minimum hold, and in the background. */
    public void discard() {
        line.change(effects -> {
            grant.endIfOver(effects);
            if (end == null) {
                release(Duration.ZERO, Lane.BACKGROUND, Duration.ZERO, ended -> {}, effects);
            }
        });
    }

    /** @param keep for how long since the grant the lock stays busy at least */
    void release(Duration keep, Lane lane, Duration patience, Consumer<ReleaseResult> to, DeferredActions effects) {
        end = LeaseState.RELEASED;
        Duration held = since.until(engine.now());
        engine.tell(effects, listener -> listener.released(line.name().value(), applicationToken(), held));
        grant.release(keep, lane, patience, to, effects);
    }

    void lost(LockLostException lost, DeferredActions effects) {
        end = LeaseState.LOST;
        loss = lost;
        onLoss.forEach(whatToDo -> effects.add(() -> engine.lost(() -> whatToDo.accept(lost))));
        engine.tellLoss(effects, listener -> listener.lost(line.name().value(), applicationToken(), lost));
    }
}
