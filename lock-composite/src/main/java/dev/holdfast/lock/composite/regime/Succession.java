package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.regime.Health;
import dev.holdfast.lock.spi.regime.Regime;
import dev.holdfast.lock.spi.regime.Transition;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Which change of the regime this process has to propose. The authority makes it, or somebody else's. */
final class Succession {

    private final State state;
    private final Rules rules;
    private final Preparation preparation;
    private @Nullable Moment failedAt;

    Succession(State state, Rules rules, Preparation preparation) {
        this.state = state;
        this.rules = rules;
        this.preparation = preparation;
    }

    /** What is to be proposed; null if nothing is, for now. */
    @Nullable
    Duty<?> next(Regime regime, Agreement agreement, Moment now) {
        if (failedAt != null && failedAt.until(now).compareTo(state.timing.urgency()) < 0) {
            return null;
        }
        return switch (regime.mode()) {
            case PRIMARY -> depose(regime, agreement, now);
            case DRAIN -> rules.mayOpen(now) ? propose(new Transition.Open(regime.epoch())) : null;
            case FALLBACK -> prepare(regime, now);
            case PREPARE -> burn(regime, now);
        };
    }

    /**
     * By evidence at once. For mere silence, or for what another server says, only if most processes hear nothing else, and this
     * one still does not since it learned that. A refusal says more of the process than of the primary, which may serve all the
     * others: a process that is refused deposes it only if it serves none.
     */
    private @Nullable Duty<?> depose(Regime regime, Agreement agreement, Moment now) {
        String evidence = state.evidenceAgainst(regime.epoch());
        if (evidence != null) {
            return propose(new Transition.Depose(regime.epoch(), evidence));
        }
        boolean isRefused = state.suspicion.isRefused();
        Moment agreed = isRefused ? agreement.ofAll() : agreement.ofMost();
        boolean isAlone = agreed == null
                || !state.suspicion.isGrave(state.timing.suspicion(), now)
                || !state.suspicion.wentOnAfter(agreed);
        return isAlone
                ? null
                : propose(new Transition.Depose(
                        regime.epoch(),
                        (isRefused ? "no process can use it: " : "most processes cannot reach it: ")
                                + state.suspicion.why()));
    }

    /** A first reign begins at once; a later one only after the primary has been well for a while. */
    private @Nullable Duty<?> prepare(Regime regime, Moment now) {
        Health well =
                state.fitness.wellFor(regime.epoch() == 1 ? Duration.ZERO : state.timing.health(regime.falls()), now);
        if (well == null) {
            return null;
        }
        Transition prepare = new Transition.Prepare(regime.epoch(), well.lineage());
        state.fitness.beginAnew();
        return propose(prepare, () -> preparation.begin(regime.epoch() + 1));
    }

    private @Nullable Duty<?> burn(Regime regime, Moment now) {
        String failure = preparation.failureOf(regime);
        if (failure == null && state.lease.seen().until(now).compareTo(state.timing.preparation()) >= 0) {
            failure = "it took longer than " + state.timing.preparation().toMillis() + " ms";
        }
        return failure == null
                ? null
                : propose(new Transition.Burn(regime.epoch(), "no return to the primary: " + failure));
    }

    private Duty<?> propose(Transition transition) {
        return propose(transition, () -> {});
    }

    private Duty<Boolean> propose(Transition transition, Runnable whenMade) {
        return new Duty<>(
                transition.toString(),
                (primary, authority, timeout) -> authority.change(transition, timeout),
                (made, failure, sent, then) -> {
                    state.readSoon();
                    if (made == null) {
                        failedAt = then;
                    } else if (made) {
                        whenMade.run();
                    }
                });
    }
}
