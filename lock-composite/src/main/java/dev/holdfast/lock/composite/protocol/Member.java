package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.RegimeEvent;
import dev.holdfast.lock.composite.protocol.StoreTask.Target;
import dev.holdfast.lock.spi.regime.DualClockInstant;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.Membership;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Reading;
import dev.holdfast.lock.spi.regime.Regime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One process's part in the protocol: it knows the authority state, routes commands by it, carries its leases through transitions,
 * and proposes transitions.
 *
 * <p>Never blocks. Not thread-safe, except for the methods that say so: the driver serializes the calls, and calls the stores
 * outside. It relies on being told: each {@link RoutedBatch} is followed by {@link #settle}, and each {@link StoreTask} by its
 * completion.
 */
public final class Member {

    /** Is told what happens. Called in the middle of a transition: it takes note, and returns. */
    public interface Listener {

        /** A failover has gone one step further; for people. */
        void failover(RegimeEvent event);

        /** Another store grants, or none does: each waiter has to ask anew. */
        void transition(Mode mode);

        /** Some leases are valid for less long than was said before. */
        void leasesShortened();
    }

    private final AcquisitionId id;
    private final String owner;
    private final MemberState state;
    private final RoutingPolicy routing;
    private final ReplyPolicy replies;
    private final LeaseTransfer transfer;
    private final Failback failback;
    private final TransitionPlanner planner;
    private @Nullable DualClockInstant readAt;
    private boolean suspects;
    private long transitions;
    private long reads;
    /** When the latest transition became known. */
    private @Nullable DualClockInstant lastTransition;

    /**
     * A member that knows nothing yet.
     *
     * @param id by random bits
     * @param owner the name of this process, for people
     */
    public Member(AcquisitionId id, String owner, Timing timing, Listener listener) {
        this(id, owner, timing, listener, SafetyRules::new);
    }

    Member(
            AcquisitionId id,
            String owner,
            Timing timing,
            Listener listener,
            Function<MemberState, SafetyRules> rulesOf) {
        this.id = id;
        this.owner = owner;
        this.state = new MemberState(timing, listener);
        SafetyRules rules = rulesOf.apply(state);
        this.routing = new RoutingPolicy(state);
        this.replies = new ReplyPolicy(state, rules, routing);
        this.transfer = new LeaseTransfer(state, rules);
        this.failback = new Failback(state);
        this.planner = new TransitionPlanner(state, rules, failback);
    }

    /** Whether the authority has answered at all. May be called by any thread. */
    public boolean isInformed() {
        return state.authorityState() != null;
    }

    /** Whether the latest authority state that is known has this mode. May be called by any thread. */
    public boolean isIn(Mode mode) {
        Regime current = state.authorityState();
        return current != null && current.mode() == mode;
    }

    /** Whether the first term of the primary has begun, or cannot begin, as the primary is not healthy. */
    public boolean isFirstTermDecided() {
        return isIn(Mode.PRIMARY) || state.health.isUnhealthy();
    }

    /** How many transitions have become known. */
    public long transitions() {
        return transitions;
    }

    /** Until when a grant is valid: as {@link dev.holdfast.lock.spi.regime.GrantValidity#end}. May be called by any thread. */
    public DualClockInstant end(LockName name, AcquisitionId of, DualClockInstant deadline, DualClockInstant now) {
        Validity validity = validity(name, of);
        return deadline.sooner(validity.end == null ? now : validity.end);
    }

    /** Whether a grant is valid in a settled epoch: as {@link dev.holdfast.lock.spi.regime.GrantValidity#isSettled}. May be called by any thread. */
    public boolean isSettled(LockName name, AcquisitionId of, DualClockInstant now) {
        Validity validity = validity(name, of);
        return validity.isSettled && validity.end != null && validity.end.isAfter(now);
    }

    private record Validity(@Nullable DualClockInstant end, boolean isSettled) {}

    /**
     * Without a lock, and yet as of one instant: the snapshot, which never returns to a former value, is the same before and after
     * the lease is looked up, so both were current when the lease was looked up.
     */
    private Validity validity(LockName name, AcquisitionId of) {
        HeldLease.LeaseKey key = new HeldLease.LeaseKey(name, of);
        while (true) {
            AuthorityLease.Snapshot known = state.lease.snapshot();
            HeldLease held = state.leases.get(key);
            if (Objects.equals(known, state.lease.snapshot())) {
                return known == null || held == null || held.isKept()
                        ? new Validity(null, false)
                        : new Validity(
                                known.endOf(held.epoch()),
                                known.isIn(held.epoch(), Mode.PRIMARY) || known.isIn(held.epoch(), Mode.FALLBACK));
            }
        }
    }

    /** How many leases and ids are known here. */
    int known() {
        return state.leases.size();
    }

    /** Where commands go now. A command on the same lock as an earlier one that waits for the authority state waits, too. */
    public RoutedBatch route(List<Step> commands, DualClockInstant now) {
        List<Route> routes = new ArrayList<>(commands.size());
        Map<LockName, Route> waiting = new HashMap<>();
        for (Step command : commands) {
            Route route = waiting.get(command.name());
            if (route == null) {
                route = routing.route(command, now);
                if (route instanceof Route.Immediate immediate && RoutedBatch.isUnknown(immediate.reply())) {
                    waiting.put(command.name(), route);
                }
            }
            routes.add(route);
        }
        return new RoutedBatch(commands, routes, state.authorityState(), transitions, reads);
    }

    /**
     * What the replies are worth by now: one for each command of the batch.
     *
     * @param answers what the store replied to {@link RoutedBatch#sent}
     * @param sent when the store was called
     */
    public List<Answer> settle(RoutedBatch batch, List<Answer> answers, DualClockInstant sent, DualClockInstant now) {
        Iterator<Answer> next = answers.iterator();
        List<Answer> settled = new ArrayList<>(batch.commands().size());
        for (int at = 0; at < batch.commands().size(); at++) {
            Step command = batch.commands().get(at);
            Route route = batch.routes().get(at);
            settled.add(
                    route instanceof Route.Send send
                            ? replies.settle(command, send, batch.authorityState(), next.next(), sent, now)
                            : ((Route.Immediate) route).reply());
        }
        return settled;
    }

    /**
     * Whether enough has become known since these commands were routed to route them again.
     *
     * @param refused the replies to commands of this batch that are {@linkplain RoutedBatch#isRetryable retryable}
     */
    public boolean hasNewsSince(RoutedBatch batch, List<Answer> refused) {
        return transitions != batch.transitions()
                || (reads != batch.reads() && refused.stream().anyMatch(RoutedBatch::isUnknown));
    }

    /** Whether there is a task that no timer announces. */
    public boolean isUrgent() {
        Regime current = state.authorityState();
        return state.mustRead
                || (current != null
                        && current.mode() == Mode.PRIMARY
                        && state.detector.evidenceAgainst(current.epoch()) != null);
    }

    /** The next task for this store; null if there is none before {@link #idleTime}. */
    public @Nullable StoreTask<?> next(Target target, DualClockInstant now) {
        return target == Target.AUTHORITY ? nextForAuthority(now) : nextForPrimary(now);
    }

    private @Nullable StoreTask<?> nextForAuthority(DualClockInstant now) {
        updateSuspicion(now);
        Regime current = state.authorityState();
        if (current == null || untilRead(now).compareTo(Duration.ZERO) <= 0) {
            return read(now);
        }
        StoreTask<?> task = transfer.next(current, Target.AUTHORITY, now);
        task = task == null ? failback.next(current, Target.AUTHORITY) : task;
        return task == null && !state.mustRead ? planner.next(current, now) : task;
    }

    private @Nullable StoreTask<?> nextForPrimary(DualClockInstant now) {
        Regime current = state.authorityState();
        if (current == null) {
            return null;
        }
        StoreTask<?> task = failback.next(current, Target.PRIMARY);
        task = task == null ? transfer.next(current, Target.PRIMARY, now) : task;
        boolean isCheckDue = state.health.untilCheck(current, now).compareTo(Duration.ZERO) <= 0;
        return task == null && isCheckDue ? state.health.check(now) : task;
    }

    /** For how long there is no task for this store, unless something happens. */
    public Duration idleTime(Target target, DualClockInstant now) {
        Regime current = state.authorityState();
        Duration idle = target == Target.AUTHORITY
                ? untilRead(now)
                : current == null ? state.timing.readInterval() : state.health.untilCheck(current, now);
        idle = idle.isNegative() ? Duration.ZERO : idle;
        boolean isCalm =
                current != null && MemberState.isSteady(current) && !state.isCutOff && !state.detector.isFailing();
        return isCalm ? idle : min(idle, state.timing.retryInterval());
    }

    private Duration untilRead(DualClockInstant now) {
        Regime current = state.authorityState();
        if (readAt == null || current == null) {
            return Duration.ZERO;
        }
        Duration interval = state.mustRead
                ? state.timing.retryInterval().dividedBy(10)
                : MemberState.isSteady(current) && !state.isCutOff && !suspects
                        ? state.timing.readInterval()
                        : state.timing.retryInterval();
        return interval.minus(readAt.until(now));
    }

    private StoreTask<Reading> read(DualClockInstant now) {
        readAt = now;
        state.mustRead = false;
        state.leases.forgetExpired(now);
        Regime current = state.authorityState();
        long suspected = suspects && current != null && current.mode() == Mode.PRIMARY ? current.epoch() : 0;
        Membership membership = new Membership(id, owner, suspected);
        return new StoreTask<>(
                "read the authority state",
                (primary, authority, timeout) -> authority.read(membership, timeout),
                (reading, failure, sent, then) -> {
                    reads++;
                    state.isCutOff = reading == null;
                    if (reading != null) {
                        learn(reading, sent, then);
                    }
                });
    }

    private void learn(Reading reading, DualClockInstant sent, DualClockInstant now) {
        Regime before = state.authorityState();
        boolean isNew = state.lease.read(reading.regime(), sent, now);
        state.detector.reported(reading, isNew, now);
        if (isNew) {
            transitions++;
            changed(before, reading.regime(), now);
        }
    }

    private void changed(@Nullable Regime before, Regime current, DualClockInstant now) {
        if (before == null || before.epoch() != current.epoch()) {
            transfer.reset();
            state.detector.answered();
            suspects = false;
        }
        if (before == null || current.mode() != Mode.FALLBACK || before.mode() != Mode.DRAIN) {
            state.health.reset();
        }
        Duration after = lastTransition == null ? Duration.ZERO : lastTransition.until(now);
        lastTransition = now;
        if (before != null) {
            RegimeEvent.Kind kind = switch (current.mode()) {
                case DRAIN -> RegimeEvent.Kind.PRIMARY_DEPOSED;
                case FALLBACK -> RegimeEvent.Kind.FALLBACK_GRANTS;
                case PREPARE -> RegimeEvent.Kind.RETURNING;
                case PRIMARY -> RegimeEvent.Kind.PRIMARY_GRANTS;
            };
            int leases = current.mode() == Mode.FALLBACK ? transfer.transferred() : transfer.expected(current, now);
            state.tell(kind, current.epoch(), current.cause(), after, leases);
        }
        state.listener.transition(current.mode());
    }

    private void updateSuspicion(DualClockInstant now) {
        Regime current = state.authorityState();
        boolean isSuspected = state.detector.isSuspected(state.timing.suspicionTimeout(), now);
        if (current != null && current.mode() == Mode.PRIMARY && isSuspected && !suspects) {
            state.mustRead = true;
            state.tell(
                    RegimeEvent.Kind.PRIMARY_SUSPECTED,
                    current.epoch(),
                    state.detector.cause(),
                    state.detector.failingFor(now),
                    0);
        }
        suspects = isSuspected;
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
