package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.regime.Health;
import dev.holdfast.lock.spi.regime.Regime;
import dev.holdfast.lock.spi.regime.Transition;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Decides which transition this process proposes. The authority accepts it, or that of another process. */
final class TransitionPlanner {

    private final MemberState state;
    private final SafetyRules rules;
    private final Failback failback;
    private @Nullable Moment failedAt;

    TransitionPlanner(MemberState state, SafetyRules rules, Failback failback) {
        this.state = state;
        this.rules = rules;
        this.failback = failback;
    }

    /** The transition to propose; null if there is none for now. */
    @Nullable
    StoreTask<?> next(Regime regime, Moment now) {
        if (failedAt != null && failedAt.until(now).compareTo(state.timing.retryInterval()) < 0) {
            return null;
        }
        return switch (regime.mode()) {
            case PRIMARY -> drainPrimary(regime, now);
            case DRAIN -> rules.mayActivateFallback(now) ? propose(new Transition.Open(regime.epoch())) : null;
            case FALLBACK -> beginFailback(regime, now);
            case PREPARE -> abortFailback(regime, now);
        };
    }

    /** On evidence at once; otherwise when enough members agree. */
    private @Nullable StoreTask<?> drainPrimary(Regime regime, Moment now) {
        String cause = state.detector.evidenceAgainst(regime.epoch());
        if (cause == null && state.detector.isConfirmed(state.timing.suspicionTimeout(), now)) {
            cause = (state.detector.isRefused() ? "no process can use it: " : "most processes cannot reach it: ")
                    + state.detector.cause();
        }
        return cause == null ? null : propose(new Transition.Depose(regime.epoch(), cause));
    }

    /** The first term begins at once; a later one only after the primary has been healthy for a while. */
    private @Nullable StoreTask<?> beginFailback(Regime regime, Moment now) {
        Duration required = regime.epoch() == 1 ? Duration.ZERO : state.timing.healthyTime(regime.falls());
        Health healthy = state.health.healthyFor(required, now);
        if (healthy == null) {
            return null;
        }
        state.health.reset();
        return propose(
                new Transition.Prepare(regime.epoch(), healthy.lineage()), () -> failback.begin(regime.epoch() + 1));
    }

    private @Nullable StoreTask<?> abortFailback(Regime regime, Moment now) {
        String failure = failback.failureIn(regime.epoch());
        Duration timeout = state.timing.failbackTimeout();
        if (failure == null && state.lease.knownFor(now).compareTo(timeout) >= 0) {
            failure = "it took longer than " + timeout.toMillis() + " ms";
        }
        return failure == null
                ? null
                : propose(new Transition.Burn(regime.epoch(), "the failback to the primary failed: " + failure));
    }

    private StoreTask<?> propose(Transition transition) {
        return propose(transition, () -> {});
    }

    private StoreTask<Boolean> propose(Transition transition, Runnable whenAccepted) {
        return new StoreTask<>(
                transition.toString(),
                (primary, authority, timeout) -> authority.change(transition, timeout),
                (accepted, failure, sent, now) -> {
                    state.mustRead = true;
                    if (accepted == null) {
                        failedAt = now;
                    } else if (accepted) {
                        whenAccepted.run();
                    }
                });
    }
}
