package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.failover.Transition;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Decides which transition this process proposes. The authority accepts it, or that of another process instead. */
final class TransitionPlanner {

    private final MemberState state;
    private final SafetyRules rules;
    private final Failback failback;
    private @Nullable DualClockInstant failedAt;

    TransitionPlanner(MemberState state, SafetyRules rules, Failback failback) {
        this.state = state;
        this.rules = rules;
        this.failback = failback;
    }

    /** The transition to propose; null if there is none for now. */
    @Nullable
    StoreTask<?> next(AuthorityState current, DualClockInstant now) {
        if (failedAt != null && failedAt.until(now).compareTo(state.timing.retryInterval()) < 0) {
            return null;
        }
        return switch (current.phase()) {
            case PRIMARY -> drainPrimary(current, now);
            case DRAINING ->
                rules.mayActivateFallback(now) ? propose(new Transition.ActivateFallback(current.epoch())) : null;
            case FALLBACK -> beginFailback(current, now);
            case FAILING_BACK -> abortFailback(current, now);
        };
    }

    /** Drains the primary: on evidence at once, otherwise when enough members agree. */
    private @Nullable StoreTask<?> drainPrimary(AuthorityState current, DualClockInstant now) {
        String cause = state.detector.evidenceAgainst(current.epoch());
        if (cause == null && state.detector.isConfirmed(state.timing.suspicionTimeout(), now)) {
            cause = (state.detector.isRefused() ? "no process can use it: " : "most processes cannot reach it: ")
                    + state.detector.cause();
        }
        return cause == null ? null : propose(new Transition.DrainPrimary(current.epoch(), cause));
    }

    /** The first term begins at once; a later one only after the primary has been healthy for a while. */
    private @Nullable StoreTask<?> beginFailback(AuthorityState current, DualClockInstant now) {
        Duration required = current.epoch() == 1 ? Duration.ZERO : state.timing.healthyTime(current.failureCount());
        PrimaryHealth healthy = state.health.healthyFor(required, now);
        if (healthy == null) {
            return null;
        }
        state.health.reset();
        return propose(
                new Transition.BeginFailback(current.epoch(), healthy.replicationId()),
                () -> failback.begin(current.epoch() + 1));
    }

    private @Nullable StoreTask<?> abortFailback(AuthorityState current, DualClockInstant now) {
        String failure = failback.failureIn(current.epoch());
        Duration timeout = state.timing.failbackTimeout();
        if (failure == null && state.lease.knownFor(now).compareTo(timeout) >= 0) {
            failure = "it took longer than " + timeout.toMillis() + " ms";
        }
        return failure == null
                ? null
                : propose(new Transition.AbortFailback(
                        current.epoch(), "the failback to the primary failed: " + failure));
    }

    private StoreTask<?> propose(Transition transition) {
        return propose(transition, () -> {});
    }

    private StoreTask<Boolean> propose(Transition transition, Runnable whenAccepted) {
        return new StoreTask<>(
                transition.toString(),
                (primary, authority, timeout) -> authority.transition(transition, timeout),
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
