package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Regime;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is held here is carried into the epoch that came: asserted at the authority while the primary's grants drain, and confirmed
 * by a renewal wherever the holds are known already. Either way only a store's word counts.
 */
final class Carriage {

    private static final int PAGE = 500;

    /** A renewal never shortens: this asks for nothing but an answer. */
    private static final Duration NO_LONGER = Duration.ofMillis(1);

    private final State state;
    private final Rules rules;
    private final Routing routing;
    private @Nullable Moment failedAt;
    private int carried;

    Carriage(State state, Rules rules, Routing routing) {
        this.state = state;
        this.rules = rules;
        this.routing = routing;
    }

    /** Another regime: what was carried is counted anew. */
    void beginAnew() {
        carried = 0;
        failedAt = null;
    }

    /** How many leases were carried into this epoch. */
    int carried() {
        return carried;
    }

    /** How many leases may still be carried into this epoch. */
    int expected(Regime regime, Moment now) {
        return state.holds.count(held -> !held.isKept() && rules.mayBeCarried(held, regime.epoch(), now));
    }

    /** What is to be asked next, of the authority or of the primary; null if nothing is, for now. */
    @Nullable
    Duty<?> next(Regime regime, Lane lane, Moment now) {
        if (failedAt != null && failedAt.until(now).compareTo(state.timing.urgency()) < 0) {
            return null;
        }
        return switch (regime.mode()) {
            case DRAIN -> lane == Lane.AUTHORITY ? assertion(regime.epoch(), now) : null;
            case FALLBACK -> lane == Lane.AUTHORITY ? confirmation(regime, now) : null;
            case PRIMARY -> lane == Lane.PRIMARY ? confirmation(regime, now) : null;
            case PREPARE -> null;
        };
    }

    private @Nullable Duty<List<Answer>> assertion(long epoch, Moment now) {
        List<Held> page = state.holds.some(held -> !held.isKept() && rules.mayBeCarried(held, epoch, now), PAGE);
        if (page.isEmpty()) { // leases come first: a minimum hold has until the fallback opens
            page = state.holds.some(held -> rules.mayBeCarried(held, epoch, now), PAGE);
        }
        if (page.isEmpty()) {
            return null;
        }
        page.forEach(held -> held.asserting(epoch));
        List<Carried> grants = page.stream().map(held -> held.carried(now)).toList();
        return new Duty<>(
                "assert " + page.size() + " leases",
                (primary, authority, timeout) -> authority.assertAll(epoch, grants, timeout),
                concluded(page, epoch));
    }

    private @Nullable Duty<List<Answer>> confirmation(Regime regime, Moment now) {
        List<Held> page =
                state.holds.some(held -> !held.isKept() && rules.mayBeCarried(held, regime.epoch(), now), PAGE);
        if (page.isEmpty()) {
            return null;
        }
        List<Step> renewals = page.stream()
                .map(held ->
                        (Step) new Step.Renew(held.claim().name(), held.claim().id(), NO_LONGER))
                .toList();
        boolean isPrimary = regime.mode() == Mode.PRIMARY;
        return new Duty<>(
                "confirm " + page.size() + " leases",
                (primary, authority, timeout) -> isPrimary
                        ? primary.apply(regime.reign(), renewals, timeout)
                        : authority.apply(regime.epoch(), renewals, timeout),
                concluded(page, regime.epoch()));
    }

    /** @param page as it was asked for, which a release may change meanwhile */
    private Duty.Conclusion<List<Answer>> concluded(List<Held> page, long epoch) {
        List<Boolean> asKept = page.stream().map(Held::isKept).toList();
        return (answers, failure, sent, then) -> {
            if (answers == null) {
                failedAt = then;
                return;
            }
            for (int at = 0; at < page.size(); at++) {
                carried(page.get(at), asKept.get(at), epoch, answers.get(at), then);
            }
        };
    }

    private void carried(Held held, boolean asKept, long epoch, Answer answer, Moment now) {
        if (state.holds.get(held.claim()) != held || held.isKept() != asKept) {
            return; // released meanwhile
        } else if (answer instanceof Answer.Granted granted && granted.token() == held.token()) {
            routing.confirmed(held, epoch, now);
            carried += held.isKept() || held.epoch() != epoch ? 0 : 1;
        } else if (answer instanceof Answer.Unavailable unavailable) {
            failedAt = now;
            if (unavailable.why() instanceof DeposedException) {
                state.readSoon();
            }
        } else {
            state.holds.remove(held.claim());
            state.events.sooner();
        }
    }
}
