package dev.holdfast.lock.composite.regime;

import dev.holdfast.lock.RegimeEvent;
import dev.holdfast.lock.internal.Moment;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.Health;
import dev.holdfast.lock.spi.regime.Membership;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Reading;
import dev.holdfast.lock.spi.regime.Regime;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One process's part in the protocol: knows the regime, routes steps by it, keeps what is held here through its changes, and
 * proposes changes itself.
 *
 * <p>Not thread-safe, and never blocks: whoever drives it lets one thread at a time in, and asks the stores outside. It lives by
 * what it is told: each {@link Route} but an answered one is followed by {@link #settle}, and each {@link Duty} by its conclusion.
 */
public final class Member {

    private final AcquisitionId id;
    private final String owner;
    private final State state;
    private final Routing routing;
    private final Carriage carriage;
    private final Preparation preparation;
    private final Succession succession;
    private final Agreement agreement = new Agreement();
    private @Nullable Moment readAt;
    private @Nullable Moment lookedAt;
    private boolean suspects;
    private long changes;
    private long readings;
    /** Since when nobody grants, or somebody does. */
    private @Nullable Moment since;

    /**
     * A member that knows nothing yet.
     *
     * @param id which it is, by random bits
     * @param owner what it says of itself, for people
     */
    public Member(AcquisitionId id, String owner, Timing timing, Events events) {
        this(id, owner, timing, events, Rules::new);
    }

    Member(AcquisitionId id, String owner, Timing timing, Events events, Function<State, Rules> rules) {
        this.id = id;
        this.owner = owner;
        this.state = new State(timing, events);
        Rules kept = rules.apply(state);
        this.routing = new Routing(state, kept);
        this.carriage = new Carriage(state, kept, routing);
        this.preparation = new Preparation(state);
        this.succession = new Succession(state, kept, preparation);
    }

    /** Whether the authority has answered at all. */
    public boolean isInformed() {
        return state.lease.regime() != null;
    }

    /** Whether the last that was heard of the regime is this. */
    public boolean knows(Mode mode) {
        Regime regime = state.lease.regime();
        return regime != null && regime.mode() == mode;
    }

    /** How often another regime has become known. */
    public long changes() {
        return changes;
    }

    /** How often the authority was asked for the regime, and answered or failed to. */
    public long readings() {
        return readings;
    }

    /** Whether a first reign has begun, or is not going to, as something speaks against the primary. */
    public boolean isBegunOrNotToBegin() {
        return knows(Mode.PRIMARY) || state.fitness.isUnwell();
    }

    /** Where a step goes now. */
    public Route route(Step step, Moment now) {
        return routing.route(step, now);
    }

    /**
     * What the answer of a store is worth by now.
     *
     * @param step as it was routed
     * @param route where it went; not {@link Route.Answered}
     * @param sent when the store was asked
     */
    public Answer settle(Step step, Route route, Answer answer, Moment sent, Moment now) {
        return routing.settle(step, route, answer, sent, now);
    }

    /** As {@link dev.holdfast.lock.internal.Tenure#end}. */
    public Moment end(LockName name, AcquisitionId of, Moment deadline, Moment now) {
        Held held = state.holds.get(new Claim(name, of));
        Moment end = held == null || held.isKept() ? null : state.lease.endOf(held.epoch());
        return deadline.sooner(end == null ? now : end);
    }

    /** As {@link dev.holdfast.lock.internal.Tenure#isSettled}. */
    public boolean isSettled(LockName name, AcquisitionId of, Moment now) {
        Held held = state.holds.get(new Claim(name, of));
        Regime regime = state.lease.regime();
        return held != null
                && regime != null
                && held.epoch() == regime.epoch()
                && (regime.mode() == Mode.PRIMARY || regime.mode() == Mode.FALLBACK)
                && state.lease.isValid(now);
    }

    /** How many leases, and ids that are remembered to be over, are known here. */
    int known() {
        return state.holds.size();
    }

    /** Whether there is something to do at once that no timer tells. */
    public boolean isUrgent() {
        Regime regime = state.lease.regime();
        return state.hasToRead()
                || (regime != null && regime.mode() == Mode.PRIMARY && state.evidenceAgainst(regime.epoch()) != null);
    }

    /** What is to be asked next, of this store; null if nothing is before {@link #idle}. */
    public @Nullable Duty<?> next(Lane lane, Moment now) {
        return lane == Lane.AUTHORITY ? ofAuthority(now) : ofPrimary(now);
    }

    private @Nullable Duty<?> ofAuthority(Moment now) {
        suspect(now);
        Regime regime = state.lease.regime();
        if (regime == null || untilRead(now).compareTo(Duration.ZERO) <= 0) {
            return read(now);
        }
        Duty<?> duty = carriage.next(regime, Lane.AUTHORITY, now);
        duty = duty == null ? preparation.next(regime, Lane.AUTHORITY) : duty;
        return duty == null && !state.hasToRead() ? succession.next(regime, agreement, now) : duty;
    }

    private @Nullable Duty<?> ofPrimary(Moment now) {
        Regime regime = state.lease.regime();
        if (regime == null) {
            return null;
        }
        Duty<?> duty = preparation.next(regime, Lane.PRIMARY);
        duty = duty == null ? carriage.next(regime, Lane.PRIMARY, now) : duty;
        return duty == null && untilLook(regime, now).compareTo(Duration.ZERO) <= 0 ? look(now) : duty;
    }

    /** For how long nothing is to be asked of this store, unless something happens. */
    public Duration idle(Lane lane, Moment now) {
        Regime regime = state.lease.regime();
        Duration idle = lane == Lane.AUTHORITY
                ? untilRead(now)
                : regime == null ? state.timing.reading() : untilLook(regime, now);
        idle = idle.isNegative() ? Duration.ZERO : idle;
        boolean isQuiet = regime != null && isSteady(regime) && !state.isCutOff && !state.suspicion.isFailing();
        return isQuiet ? idle : min(idle, state.timing.urgency());
    }

    private static boolean isSteady(Regime regime) {
        return regime.mode() == Mode.PRIMARY || (regime.mode() == Mode.FALLBACK && regime.epoch() > 1);
    }

    private Duration untilRead(Moment now) {
        Regime regime = state.lease.regime();
        if (readAt == null || regime == null) {
            return Duration.ZERO;
        }
        Duration interval = state.hasToRead()
                ? state.timing.urgency().dividedBy(10)
                : isSteady(regime) && !state.isCutOff && !suspects ? state.timing.reading() : state.timing.urgency();
        return interval.minus(readAt.until(now));
    }

    private Duty<Reading> read(Moment now) {
        readAt = now;
        state.reads();
        state.holds.forgetWhatIsOver(now);
        Regime regime = state.lease.regime();
        long suspected = suspects && regime != null && regime.mode() == Mode.PRIMARY ? regime.epoch() : 0;
        Membership membership = new Membership(id, owner, suspected);
        return new Duty<>(
                "read the regime",
                (primary, authority, timeout) -> authority.read(membership, timeout),
                (reading, failure, sent, then) -> {
                    readings++;
                    state.isCutOff = reading == null;
                    if (reading != null) {
                        heard(reading, sent, then);
                    }
                });
    }

    private void heard(Reading reading, Moment sent, Moment now) {
        Regime before = state.lease.regime();
        boolean isNew = state.lease.read(reading.regime(), sent, now);
        agreement.heard(reading, isNew, now);
        if (isNew) {
            changes++;
            changed(before, reading.regime(), now);
        }
    }

    private void changed(@Nullable Regime before, Regime regime, Moment now) {
        if (before == null || before.epoch() != regime.epoch()) {
            carriage.beginAnew();
            state.suspicion.answered();
            suspects = false;
        }
        if (before == null || regime.mode() != Mode.FALLBACK || before.mode() != Mode.DRAIN) {
            state.fitness.beginAnew();
        }
        Duration after = since == null ? Duration.ZERO : since.until(now);
        since = now;
        if (before != null) {
            switch (regime.mode()) {
                case DRAIN -> tell(RegimeEvent.Kind.PRIMARY_DEPOSED, regime, after, carriage.expected(regime, now));
                case FALLBACK -> tell(RegimeEvent.Kind.FALLBACK_GRANTS, regime, after, carriage.carried());
                case PREPARE -> tell(RegimeEvent.Kind.RETURNING, regime, after, carriage.expected(regime, now));
                case PRIMARY -> tell(RegimeEvent.Kind.PRIMARY_GRANTS, regime, after, carriage.expected(regime, now));
            }
        }
        state.events.changed(regime.mode());
    }

    private void tell(RegimeEvent.Kind kind, Regime regime, Duration after, int carried) {
        state.tell(kind, regime.epoch(), regime.cause(), after, carried);
    }

    private void suspect(Moment now) {
        Regime regime = state.lease.regime();
        Duration silent = state.suspicion.lasted(now);
        boolean isGrave = state.suspicion.isGrave(state.timing.suspicion(), now);
        if (regime != null && regime.mode() == Mode.PRIMARY && isGrave && !suspects) {
            state.readSoon();
            state.tell(RegimeEvent.Kind.PRIMARY_SUSPECTED, regime.epoch(), state.suspicion.why(), silent, 0);
        }
        suspects = isGrave;
    }

    private Duration untilLook(Regime regime, Moment now) {
        if (regime.mode() == Mode.DRAIN || regime.mode() == Mode.PREPARE) {
            return state.timing.reading();
        } else if (lookedAt == null) {
            return Duration.ZERO;
        }
        boolean isCalm = isSteady(regime) && !state.suspicion.isFailing();
        return (isCalm ? state.timing.looking() : state.timing.urgency()).minus(lookedAt.until(now));
    }

    private Duty<Health> look(Moment now) {
        lookedAt = now;
        return new Duty<>(
                "look at the primary",
                (primary, authority, timeout) -> primary.examine(min(timeout, state.timing.suspicion())),
                (health, failure, sent, then) -> {
                    if (health != null) {
                        seen(health, sent, then);
                    } else if (failure != null) {
                        state.fitness.unseen();
                        state.suspicion.failed(sent, then, failure);
                    }
                });
    }

    private void seen(Health health, Moment sent, Moment now) {
        state.fitness.seen(health, sent, now);
        Regime regime = state.lease.regime();
        if (regime == null || regime.mode() != Mode.PRIMARY) {
            state.suspicion.answered();
        } else if (!state.lease
                .seen()
                .until(sent)
                .isNegative()) { // what was asked before it began says nothing about it
            Fitness.isElsewhere(health, regime)
                    .ifPresentOrElse(why -> state.suspicion.foundElsewhere(sent, now, why), () -> {
                        state.suspicion.answered();
                        state.fitness
                                .evidenceAgainst(health, regime)
                                .ifPresent(why -> state.accuse(regime.epoch(), why));
                    });
        }
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
