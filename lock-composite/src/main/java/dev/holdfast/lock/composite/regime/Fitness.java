package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.regime.Health;
import dev.holdfast.lock.spi.regime.Regime;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How the primary was when it was looked at last, and since when. */
final class Fitness {

    private final Timing timing;
    private @Nullable Health last;
    private @Nullable Moment lookedAt;
    private @Nullable Moment wellSince;
    private Optional<String> step = Optional.empty();

    Fitness(Timing timing) {
        this.timing = timing;
    }

    /**
     * It was looked at. Between two looks its clock may have gone on for as long as from when the first was sent to when the second
     * was answered.
     */
    void seen(Health health, Moment sent, Moment now) {
        step = last == null || lookedAt == null || !last.lineage().equals(health.lineage())
                ? Optional.empty()
                : stepped(last, lookedAt, health, now);
        boolean isAsBefore = last != null && last.lineage().equals(health.lineage());
        boolean isWell = health.objection().isEmpty() && step.isEmpty();
        wellSince = isWell ? (isAsBefore && wellSince != null ? wellSince : now) : null;
        last = health;
        lookedAt = sent;
    }

    /** Both of our clocks: the monotonic one stands still while a machine is suspended, and the other may be set. */
    private Optional<String> stepped(Health before, Moment then, Health after, Moment now) {
        long its = after.clock() - before.clock();
        long ours = Math.max(then.until(now).toNanos() / 1_000, (now.wallMillis() - then.wallMillis()) * 1_000);
        long ahead = its - ours;
        return ahead * 1_000 > timing.clockStep().toNanos()
                ? Optional.of("its clock was set ahead by " + ahead / 1_000 + " ms")
                : Optional.empty();
    }

    /** Whether something spoke against it when it was looked at last. */
    boolean isUnwell() {
        return last != null && (last.objection().isPresent() || step.isPresent());
    }

    /** It did not answer. */
    void unseen() {
        wellSince = null;
    }

    /** It has to prove itself from now on. */
    void beginAnew() {
        wellSince = null;
    }

    /** Why it is not the one that is in power under this regime; empty if it is. */
    static Optional<String> isElsewhere(Health health, Regime regime) {
        if (!health.master()) {
            return health.objection();
        }
        return health.lineage().equals(regime.lineage())
                ? Optional.empty()
                : Optional.of("its data are of another lineage: " + health.lineage());
    }

    /** What speaks against the one that is in power, as it was seen last; empty if nothing does. */
    Optional<String> evidenceAgainst(Health health, Regime regime) {
        if (health.objection().isPresent()) {
            return health.objection();
        } else if (health.epoch() != regime.epoch()) {
            return Optional.of(
                    health.epoch() == 0
                            ? "the mark of its reign is gone: data were lost"
                            : "the mark of its reign is of epoch " + health.epoch());
        }
        return step;
    }

    /** Whose return to power may be prepared: it has been well for this long. */
    @Nullable
    Health wellFor(Duration time, Moment now) {
        boolean isLongEnough = wellSince != null && wellSince.until(now).compareTo(time) >= 0;
        return isLongEnough ? last : null;
    }
}
