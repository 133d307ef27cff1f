package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.PrimaryHealth;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks the health of the primary, and measures for how long the primary has been healthy. */
final class HealthMonitor {

    private final Timing timing;
    private final AuthorityLease lease;
    private final FailureDetector detector;
    private @Nullable DualClockInstant lastCheck;
    private @Nullable PrimaryHealth last;
    private @Nullable DualClockInstant lastSent;
    private @Nullable DualClockInstant healthySince;
    private Optional<String> clockStep = Optional.empty();

    HealthMonitor(Timing timing, AuthorityLease lease, FailureDetector detector) {
        this.timing = timing;
        this.lease = lease;
        this.detector = detector;
    }

    /** The time until the next check. */
    Duration untilCheck(AuthorityState current, DualClockInstant now) {
        if (!current.phase().grants()) {
            return timing.readInterval();
        } else if (lastCheck == null) {
            return Duration.ZERO;
        }
        boolean isCalm = MemberState.isSteady(current) && !detector.isFailing();
        return (isCalm ? timing.healthCheckInterval() : timing.retryInterval()).minus(lastCheck.until(now));
    }

    StoreTask<PrimaryHealth> check(DualClockInstant now) {
        lastCheck = now;
        Duration limit = timing.suspicionTimeout();
        return new StoreTask<>(
                "check the health of the primary",
                (primary, authority, timeout) -> primary.health(Durations.min(timeout, limit)),
                (health, failure, sent, then) -> {
                    if (health != null) {
                        checked(health, sent, then);
                    } else if (failure != null) {
                        reset();
                        detector.failed(sent, then, failure);
                    }
                });
    }

    private void checked(PrimaryHealth health, DualClockInstant sent, DualClockInstant now) {
        note(health, sent, now);
        AuthorityState current = lease.authorityState();
        if (current == null || current.phase() != FailoverPhase.PRIMARY) {
            detector.answered(sent);
        } else if (!lease.knownFor(sent)
                .isNegative()) { // a check that was sent before the term began does not count for it
            Optional<String> mismatch = mismatch(health, current);
            if (mismatch.isPresent()) {
                detector.foundElsewhere(sent, now, mismatch.get());
            } else {
                detector.answered(sent);
                evidenceAgainst(health, current).ifPresent(because -> detector.accuse(current.epoch(), because));
            }
        }
    }

    /**
     * Takes in the result of a check. Between two checks, the primary's clock may have advanced by the time from the first request
     * to the second reply.
     */
    private void note(PrimaryHealth health, DualClockInstant sent, DualClockInstant now) {
        boolean isSameServer = last != null && last.replicationId().equals(health.replicationId());
        clockStep = isSameServer && last != null && lastSent != null
                ? clockStep(last, lastSent, health, now)
                : Optional.empty();
        boolean isHealthy = health.objection().isEmpty() && clockStep.isEmpty();
        healthySince = !isHealthy ? null : isSameServer && healthySince != null ? healthySince : now;
        last = health;
        lastSent = sent;
    }

    /** Compares with both local clocks: the monotonic one stands still while a machine is suspended, and the other may be set. */
    private Optional<String> clockStep(
            PrimaryHealth before, DualClockInstant then, PrimaryHealth after, DualClockInstant now) {
        long theirs = after.clock() - before.clock();
        long ours = Math.max(then.until(now).toNanos(), now.wallNanos() - then.wallNanos()) / 1_000;
        long ahead = theirs - ours;
        return ahead * 1_000 > timing.clockTolerance().toNanos()
                ? Optional.of("its clock was set ahead by " + ahead / 1_000 + " ms")
                : Optional.empty();
    }

    /** Whether the last health check found an objection. */
    boolean isUnhealthy() {
        return last != null && (last.objection().isPresent() || clockStep.isPresent());
    }

    /** Restarts the time for which the primary has been healthy, as it did not reply or the authority state changed. */
    void reset() {
        healthySince = null;
    }

    /** Why the server that replied is not the primary in power; empty if it is. */
    private static Optional<String> mismatch(PrimaryHealth health, AuthorityState current) {
        if (!health.master()) {
            return health.objection();
        }
        return health.replicationId().equals(current.replicationId())
                ? Optional.empty()
                : Optional.of("its data has another replication id: " + health.replicationId());
    }

    /** Why the primary in power must not go on, as the last health check showed; empty if it may. */
    private Optional<String> evidenceAgainst(PrimaryHealth health, AuthorityState current) {
        if (health.objection().isPresent()) {
            return health.objection();
        } else if (health.epoch() != current.epoch()) {
            return Optional.of(
                    health.epoch() == 0
                            ? "the record of its primary term is gone: data were lost"
                            : "the record of its primary term has epoch " + health.epoch());
        }
        return clockStep;
    }

    /** The last health check, if the primary has been healthy for this long; null otherwise. */
    @Nullable
    PrimaryHealth healthyFor(Duration time, DualClockInstant now) {
        return healthySince != null && healthySince.until(now).compareTo(time) >= 0 ? last : null;
    }
}
