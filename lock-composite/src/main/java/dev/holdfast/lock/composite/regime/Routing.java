package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Regime;
import java.time.Duration;

/** Where each step goes under the regime that is known, and what its answer is worth when it comes back. */
final class Routing {

    private final State state;
    private final Rules rules;

    Routing(State state, Rules rules) {
        this.state = state;
        this.rules = rules;
    }

    Route route(Step step, Moment now) {
        Regime regime = state.lease.regime();
        if (regime == null) {
            return unknown();
        } else if (step instanceof Step.Acquire acquire) {
            return acquire(acquire, regime, now);
        } else if (step instanceof Step.Renew renew) {
            return renew(renew, regime, now);
        }
        return release((Step.Release) step, regime, now);
    }

    private Route acquire(Step.Acquire step, Regime regime, Moment now) {
        if (state.holds.isOver(Claim.of(step), now)) {
            return new Route.Answered(new Answer.Gone());
        } else if (!state.lease.isValid(now)) {
            return unknown();
        } else if (regime.mode() == Mode.PRIMARY || regime.mode() == Mode.FALLBACK) {
            return inPower(regime, step);
        }
        Held held = state.holds.get(Claim.of(step));
        if (held != null && !held.isKept() && state.isValid(held, now)) {
            return new Route.Answered(
                    new Answer.Granted(held.token(), held.deadline().after(now)));
        }
        return notNow(step, regime);
    }

    /**
     * A return to the primary is over soon. For as long as grants drain, who may wait waits, and who may not has to know that
     * nobody can tell whether the lock is free.
     */
    private Route notNow(Step.Acquire step, Regime regime) {
        if (regime.mode() == Mode.PREPARE) {
            return soon(regime);
        }
        return new Route.Answered(
                step.queue()
                        ? new Answer.Waiting(state.timing.reading())
                        : new Answer.Unavailable(new LockUnavailableException(nobodyGrants(regime), null)));
    }

    private Route renew(Step.Renew step, Regime regime, Moment now) {
        if (!state.lease.isValid(now)) {
            return unknown();
        } else if (regime.mode() == Mode.PREPARE) {
            return soon(regime);
        } else if (regime.mode() == Mode.DRAIN) {
            Held held = state.holds.get(Claim.of(step));
            return held == null || held.epoch() == regime.epoch()
                    ? new Route.ToAuthority(regime.epoch(), step, false)
                    : new Route.Answered(new Answer.Unavailable(
                            new LockUnavailableException("it is about to be carried over", null)));
        }
        return inPower(regime, step);
    }

    /**
     * From its release on a lock is not held here, whatever becomes of the release: it is neither asserted nor confirmed any
     * more.
     */
    private Route release(Step.Release step, Regime regime, Moment now) {
        if (!step.remember().isZero()) {
            state.holds.remember(Claim.of(step), now, step.remember());
        }
        Held held = state.holds.get(Claim.of(step));
        if (held == null || held.isKept()) {
            return release(step, regime, state.holds.wasGivenBack(Claim.of(step)), now);
        }
        boolean isValid = state.isValid(held, now);
        boolean isUnknown = regime.mode() == Mode.DRAIN && held.epoch() != regime.epoch();
        boolean mayBeAsserted = regime.mode() == Mode.DRAIN && held.mayBeAsserted(regime.epoch());
        if (mayBeAsserted) {
            state.holds.remember(Claim.of(step), now, longer(held.length(), state.timing.drain()));
        }
        boolean isOver = isUnknown && !mayBeAsserted;
        if (isValid && !isOver) {
            state.holds.giveBack(held);
        }
        letGo(held, isValid, step, now);
        return isOver
                ? new Route.Answered(new Answer.Released(isValid))
                : release(step, regime, isUnknown && isValid, now);
    }

    /** Of a lease that was lost before its release no minimum hold is promised, and whatever had the lock since may be done. */
    private void letGo(Held held, boolean isValid, Step.Release step, Moment now) {
        if (isValid && held.since().plus(step.keep()).isAfter(now)) {
            held.keep(step.keep());
        } else {
            state.holds.remove(Claim.of(step));
        }
    }

    private Route release(Step.Release step, Regime regime, boolean wasHeldHere, Moment now) {
        return switch (regime.mode()) {
            case PREPARE -> {
                state.holds.refused(Claim.of(step));
                yield soon(regime);
            }
            case DRAIN -> new Route.ToAuthority(regime.epoch(), remembered(step, now), wasHeldHere);
            case PRIMARY -> inPower(regime, step);
            case FALLBACK -> new Route.ToAuthority(regime.epoch(), step, wasHeldHere);
        };
    }

    /** Remembered at the authority, so that an assertion which comes later than its release comes to nothing. */
    private Step remembered(Step.Release step, Moment now) {
        Duration over = state.holds.overFor(Claim.of(step), now);
        return new Step.Release(step.name(), step.id(), step.keep(), longer(over, step.remember()));
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private static Route inPower(Regime regime, Step step) {
        return regime.mode() == Mode.PRIMARY
                ? new Route.ToPrimary(regime.reign(), step)
                : new Route.ToAuthority(regime.epoch(), step, false);
    }

    /** As soon as another regime is known. */
    private static Route soon(Regime regime) {
        return new Route.Answered(new Answer.Unavailable(new DeposedException(nobodyGrants(regime))));
    }

    private static String nobodyGrants(Regime regime) {
        return "nobody grants right now, in epoch " + regime.epoch() + ": " + regime.cause();
    }

    private Route unknown() {
        return new Route.Answered(notKnown());
    }

    /** Who stood still asks at once; who asked and was not answered says so. */
    private Answer notKnown() {
        if (!state.isCutOff) {
            state.readSoon();
            return new Answer.Unavailable(new UncertainException());
        }
        return new Answer.Unavailable(
                new LockUnavailableException("who grants is not known: the authority does not answer", null));
    }

    /**
     * What an answer is worth.
     *
     * @param step as it was asked by the engine
     * @param route what {@link #route} said
     * @param answer the store's
     * @param sent when the store was asked
     */
    Answer settle(Step step, Route route, Answer answer, Moment sent, Moment now) {
        noteWhoAnswered(route, answer, sent, now);
        if (step instanceof Step.Release release) {
            letGoWhatWasGrantedMeanwhile(release, now);
        }
        if (answer instanceof Answer.Unavailable unavailable) {
            state.holds.refused(Claim.of(step));
            return unavailable;
        } else if (step instanceof Step.Acquire acquire) {
            return acquired(acquire, route, answer, sent, now);
        } else if (step instanceof Step.Renew renew) {
            return renewed(renew, route, answer, sent, now);
        }
        state.holds.answered(Claim.of(step));
        return route instanceof Route.ToAuthority to && to.wasHeldHere() ? new Answer.Released(true) : answer;
    }

    /** By a step before it, of the same call: of that nothing was known here when the release was routed. */
    private void letGoWhatWasGrantedMeanwhile(Step.Release step, Moment now) {
        Held held = state.holds.get(Claim.of(step));
        if (held != null && !held.isKept()) {
            boolean isValid = state.isValid(held, now);
            if (isValid) {
                state.holds.giveBack(held);
            }
            letGo(held, isValid, step, now);
        }
    }

    private void noteWhoAnswered(Route route, Answer answer, Moment sent, Moment now) {
        Throwable why = answer instanceof Answer.Unavailable unavailable ? unavailable.why() : null;
        if (why instanceof DeposedException) {
            state.readSoon();
        }
        if (route instanceof Route.ToPrimary to && state.knows(to.reign().epoch(), Mode.PRIMARY)) {
            if (why == null) {
                state.suspicion.answered();
            } else if (why instanceof DeposedException deposed && deposed.isElsewhere()) {
                state.suspicion.foundElsewhere(sent, now, String.valueOf(why.getMessage()));
            } else if (why instanceof DeposedException) {
                state.accuse(to.reign().epoch(), String.valueOf(why.getMessage()));
            } else {
                state.suspicion.failed(sent, now, why);
            }
        }
    }

    private Answer acquired(Step.Acquire step, Route route, Answer answer, Moment sent, Moment now) {
        if (!(answer instanceof Answer.Granted granted) || state.holds.isOver(Claim.of(step), now)) {
            return answer; // of what was given up meanwhile nothing is held here
        } else if (!rules.counts(route, now)) {
            return !state.lease.isValid(now)
                    ? notKnown()
                    : new Answer.Unavailable(new DeposedException(
                            "that its store may grant was not certain any more when the grant arrived"));
        }
        Held before = state.holds.get(Claim.of(step));
        if (before != null && before.token() == granted.token()) {
            before.lastsUntil(sent.endOf(granted.remaining()));
            before.confirmed(epoch(route));
        } else {
            Duration age = step.length().minus(granted.remaining()); // more than none if an earlier attempt was granted
            Moment since = sent.plus(age.isNegative() ? Duration.ZERO : age.negated());
            state.holds.add(new Held(
                    Claim.of(step),
                    granted.token(),
                    since,
                    step.length(),
                    sent.endOf(granted.remaining()),
                    epoch(route),
                    step.owner()));
        }
        return granted;
    }

    private Answer renewed(Step.Renew step, Route route, Answer answer, Moment sent, Moment now) {
        Held held = state.holds.get(Claim.of(step));
        if (held == null || held.isKept()) {
            return answer;
        }
        if (!(answer instanceof Answer.Granted granted) || granted.token() != held.token()) {
            state.holds.remove(Claim.of(step));
            state.events.sooner();
            return answer;
        }
        confirmed(held, epoch(route), now);
        if (rules.prolongs(epoch(route))) {
            held.lastsUntil(sent.endOf(granted.remaining()));
        }
        Duration counted = held.deadline().after(sent);
        return counted.compareTo(granted.remaining()) < 0
                ? new Answer.Granted(granted.token(), counted.isNegative() ? Duration.ZERO : counted)
                : granted;
    }

    /**
     * A store has said, in this epoch, that it is held. That counts if the epoch is still the present one, and the hold has not
     * ended meanwhile: what has ended once never comes back.
     */
    void confirmed(Held held, long epoch, Moment now) {
        Regime regime = state.lease.regime();
        if (regime != null && regime.epoch() == epoch && state.isValid(held, now)) {
            held.confirmed(epoch);
        }
    }

    private static long epoch(Route route) {
        return route instanceof Route.ToPrimary to ? to.reign().epoch() : ((Route.ToAuthority) route).epoch();
    }
}
