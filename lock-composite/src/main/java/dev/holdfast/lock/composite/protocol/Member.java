package dev.holdfast.lock.composite.protocol;

import dev.holdfast.lock.FailoverEvent;
import dev.holdfast.lock.composite.protocol.StoreTask.Target;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.Membership;
import dev.holdfast.lock.spi.support.Durations;
import dev.holdfast.lock.spi.time.DualClockInstant;
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
 * outside. The driver must call {@link #settle} after each {@link RoutedBatch}, and the completion of each {@link StoreTask}.
 */
public final class Member {

    /** Receives events. It is called in the middle of a transition, so it only records them and returns. */
    public interface Listener {

        /** A failover has gone one step further; for people. */
        void failover(FailoverEvent event);

        /** Another store grants, or none does: each waiter has to ask again. */
        void transition(FailoverPhase phase);

        /** Some leases end sooner than was reported before. */
        void leasesShortened();
    }

    /** Earlier than any instant that the engine, which reads the clock first, compares with: an unknown lease is over then, too. */
    private static final Duration LONG_AGO = Duration.ofDays(-1);

    private final AcquisitionId id;
    private final String owner;
    private final MemberState state;
    private final SafetyRules rules;
    private final RoutingPolicy routing;
    private final ReplyPolicy replyPolicy;
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
     * @param id random bits
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
        this.rules = rulesOf.apply(state);
        this.routing = new RoutingPolicy(state);
        this.replyPolicy = new ReplyPolicy(state, rules, routing);
        this.transfer = new LeaseTransfer(state, rules);
        this.failback = new Failback(state);
        this.planner = new TransitionPlanner(state, rules, failback);
    }

    /** Whether the authority has answered at all. May be called by any thread. */
    public boolean isInformed() {
        return state.authorityState() != null;
    }

    /** Whether the last read of the authority state told nothing. May be called by any thread. */
    public boolean isCutOff() {
        return state.isCutOff();
    }

    /** Whether the latest authority state that is known has this phase. May be called by any thread. */
    public boolean isIn(FailoverPhase phase) {
        AuthorityState current = state.authorityState();
        return current != null && current.phase() == phase;
    }

    /** Why no store grants in the latest authority state that is known; null if one does. May be called by any thread. */
    public @Nullable String whySuspended() {
        AuthorityState current = state.authorityState();
        return current == null || current.phase().grants() ? null : RoutingPolicy.noGrants(current);
    }

    /** Whether the first term of the primary has begun, or cannot begin, as the primary is not healthy. */
    public boolean isFirstTermDecided() {
        return isIn(FailoverPhase.PRIMARY) || state.health.isUnhealthy();
    }

    /** The end of a grant: as {@link dev.holdfast.lock.spi.failover.GrantValidity#end}. May be called by any thread. */
    public DualClockInstant end(LockName name, AcquisitionId of, DualClockInstant deadline, DualClockInstant now) {
        Validity validity = validity(name, of);
        return deadline.sooner(validity.end == null ? now.plus(LONG_AGO) : validity.end);
    }

    /**
     * Why a grant is not valid any more: as {@link dev.holdfast.lock.spi.failover.GrantValidity#whyUnconfirmed}. May be called by any
     * thread.
     */
    public @Nullable String whyUnconfirmed(LockName name, AcquisitionId of) {
        HeldLease held = state.leases.get(new HeldLease.LeaseKey(name, of));
        if (held == null) { // nothing but the reply of a store removes it before its release, while its own time lasts
            return null;
        }
        String cutOff = state.cutOffCause;
        if (cutOff != null) {
            return ": " + cutOff;
        }
        AuthorityLease.Snapshot known = state.lease.snapshot();
        return known != null && !known.prolongs(held.epoch())
                ? ": it was not transferred in time in the failover to epoch "
                        + known.authorityState().epoch()
                : ", as this process or its machine stood still";
    }

    /**
     * Whether a grant is valid in a settled epoch: as {@link dev.holdfast.lock.spi.failover.GrantValidity#isSettled}. May be called
     * by any thread.
     */
    public boolean isSettled(LockName name, AcquisitionId of, DualClockInstant now) {
        Validity validity = validity(name, of);
        return validity.isSettled && validity.end != null && validity.end.isAfter(now);
    }

    private record Validity(@Nullable DualClockInstant end, boolean isSettled) {}

    /**
     * Read without a lock, and yet as of one instant: the snapshot, which never returns to a former value, is the same before and
     * after the lease is looked up, so both were current when the lease was looked up.
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
                                endOf(held, known),
                                known.isIn(held.epoch(), FailoverPhase.PRIMARY)
                                        || known.isIn(held.epoch(), FailoverPhase.FALLBACK));
            }
        }
    }

    private @Nullable DualClockInstant endOf(HeldLease held, AuthorityLease.Snapshot known) {
        DualClockInstant ofEpoch = known.endOf(held.epoch());
        return ofEpoch == null ? null : rules.end(held, ofEpoch);
    }

    /** The number of leases and ids known here. */
    int known() {
        return state.leases.size();
    }

    /** Routes commands by what is known now. A command on the same lock as an earlier one that waits for the authority state waits, too. */
    public RoutedBatch route(List<LockCommand> commands, DualClockInstant now) {
        List<Route> routes = new ArrayList<>(commands.size());
        Map<LockName, Route> waiting = Map.of();
        for (LockCommand command : commands) {
            Route route = waiting.get(command.name());
            if (route == null) {
                route = routing.route(command, now);
                if (route instanceof Route.Immediate immediate && RoutedBatch.isUnknown(immediate.reply())) {
                    waiting = waiting.isEmpty() ? new HashMap<>() : waiting;
                    waiting.put(command.name(), route);
                }
            }
            routes.add(route);
        }
        return new RoutedBatch(commands, routes, state.authorityState(), transitions, reads);
    }

    /**
     * The replies for the engine, one for each command of the batch, judged by the present authority state.
     *
     * @param replies the replies of the store to {@link RoutedBatch#sent}
     * @param sent the instant before the call to the store
     */
    public List<LockReply> settle(
            RoutedBatch batch, List<LockReply> replies, DualClockInstant sent, DualClockInstant now) {
        Iterator<LockReply> next = replies.iterator();
        List<LockReply> settled = new ArrayList<>(batch.commands().size());
        for (int at = 0; at < batch.commands().size(); at++) {
            Route route = batch.routes().get(at);
            settled.add(
                    route instanceof Route.Send send
                            ? replyPolicy.settle(batch, at, send, next.next(), sent, now)
                            : ((Route.Immediate) route).reply());
        }
        return settled;
    }

    /**
     * Whether enough has become known since these commands were routed to route them again.
     *
     * @param refused the replies to commands of this batch that are {@linkplain RoutedBatch#isRetryable retryable}
     */
    public boolean hasNewsSince(RoutedBatch batch, List<LockReply> refused) {
        return transitions != batch.transitions()
                || (reads != batch.reads() && refused.stream().anyMatch(RoutedBatch::isUnknown));
    }

    /** Whether there is a task that no timer announces. */
    public boolean isUrgent() {
        AuthorityState current = state.authorityState();
        return state.mustRead
                || (current != null
                        && current.phase() == FailoverPhase.PRIMARY
                        && state.detector.evidenceAgainst(current.epoch()) != null);
    }

    /** The next task for this store; null if there is none before {@link #idleTime}. */
    public @Nullable StoreTask<?> next(Target target, DualClockInstant now) {
        return target == Target.AUTHORITY ? nextForAuthority(now) : nextForPrimary(now);
    }

    private @Nullable StoreTask<?> nextForAuthority(DualClockInstant now) {
        updateSuspicion(now);
        AuthorityState current = state.authorityState();
        if (current == null || untilRead(now).compareTo(Duration.ZERO) <= 0) {
            return read(now);
        }
        StoreTask<?> task = transfer.next(current, Target.AUTHORITY, now);
        task = task == null ? failback.next(current, Target.AUTHORITY) : task;
        return task == null && !state.mustRead ? planner.next(current, now) : task;
    }

    private @Nullable StoreTask<?> nextForPrimary(DualClockInstant now) {
        AuthorityState current = state.authorityState();
        if (current == null) {
            return null;
        }
        StoreTask<?> task = failback.next(current, Target.PRIMARY);
        task = task == null ? transfer.next(current, Target.PRIMARY, now) : task;
        boolean isCheckDue = state.health.untilCheck(current, now).compareTo(Duration.ZERO) <= 0;
        return task == null && isCheckDue ? state.health.check(now) : task;
    }

    /** The time for which there is no task for this store, unless something happens. */
    public Duration idleTime(Target target, DualClockInstant now) {
        AuthorityState current = state.authorityState();
        Duration idle = target == Target.AUTHORITY
                ? untilRead(now)
                : current == null ? state.timing.readInterval() : state.health.untilCheck(current, now);
        idle = Durations.max(idle, Duration.ZERO);
        boolean isCalm =
                current != null && MemberState.isSteady(current) && !state.isCutOff() && !state.detector.isFailing();
        return isCalm ? idle : Durations.min(idle, state.timing.retryInterval());
    }

    private Duration untilRead(DualClockInstant now) {
        AuthorityState current = state.authorityState();
        if (readAt == null || current == null) {
            return Duration.ZERO;
        }
        Duration interval = state.mustRead
                ? state.timing.retryInterval().dividedBy(10)
                : MemberState.isSteady(current) && !state.isCutOff() && !suspects
                        ? state.timing.readInterval()
                        : state.timing.retryInterval();
        return interval.minus(readAt.until(now));
    }

    private StoreTask<AuthorityReading> read(DualClockInstant now) {
        readAt = now;
        state.mustRead = false;
        state.leases.forgetExpired(now, state.timing.drain());
        AuthorityState current = state.authorityState();
        long suspected = suspects && current != null && current.phase() == FailoverPhase.PRIMARY ? current.epoch() : 0;
        Membership membership = new Membership(id, owner, suspected);
        return new StoreTask<>(
                "read the authority state",
                (primary, authority, timeout) -> authority.read(membership, timeout),
                (reading, failure, sent, then) -> {
                    reads++;
                    state.cutOffCause = cutOffCause(reading);
                    if (reading != null && !state.isCutOff()) {
                        learn(reading, sent, then);
                    }
                });
    }

    private @Nullable String cutOffCause(@Nullable AuthorityReading reading) {
        AuthorityState known = state.authorityState();
        if (reading == null) {
            return "the authority of the composite does not answer; check its database";
        } else if (known == null || !AuthorityLease.isOlder(reading.state(), known)) {
            return null;
        }
        return "the database of the composite has lost commits: its authority state is " + text(reading.state())
                + ", and this process has seen " + text(known) + " there. Stop all processes of this namespace,"
                + " and start them again";
    }

    private static String text(AuthorityState state) {
        return state.phase() + " of epoch " + state.epoch();
    }

    private void learn(AuthorityReading reading, DualClockInstant sent, DualClockInstant now) {
        AuthorityState before = state.authorityState();
        boolean isNew = state.lease.read(reading.state(), sent, now);
        state.detector.reported(reading, isNew, now);
        if (isNew) {
            transitions++;
            changed(before, reading.state(), now);
        }
    }

    private void changed(@Nullable AuthorityState before, AuthorityState current, DualClockInstant now) {
        if (before == null || before.epoch() != current.epoch()) {
            transfer.reset();
            state.detector.reset();
            suspects = false;
        }
        if (before == null || current.phase() != FailoverPhase.FALLBACK || before.phase() != FailoverPhase.DRAINING) {
            state.health.reset();
        }
        Duration after = lastTransition == null ? Duration.ZERO : lastTransition.until(now);
        lastTransition = now;
        if (before != null) {
            FailoverEvent.Kind kind = switch (current.phase()) {
                case DRAINING -> FailoverEvent.Kind.PRIMARY_DRAINING;
                case FALLBACK -> FailoverEvent.Kind.FALLBACK_ACTIVE;
                case FAILING_BACK -> FailoverEvent.Kind.FAILING_BACK;
                case PRIMARY -> FailoverEvent.Kind.PRIMARY_ACTIVE;
            };
            int leases = current.phase() == FailoverPhase.FALLBACK
                    ? transfer.transferred()
                    : transfer.expected(current, now);
            state.tell(kind, current.epoch(), current.cause(), after, leases);
        }
        state.listener.transition(current.phase());
    }

    private void updateSuspicion(DualClockInstant now) {
        AuthorityState current = state.authorityState();
        boolean isSuspected = state.detector.isSuspected(state.timing.suspicionTimeout(), now);
        if (current != null && current.phase() == FailoverPhase.PRIMARY && isSuspected && !suspects) {
            state.mustRead = true;
            state.tell(
                    FailoverEvent.Kind.PRIMARY_SUSPECTED,
                    current.epoch(),
                    state.detector.cause(),
                    state.detector.failingFor(now),
                    0);
        }
        suspects = isSuspected;
    }
}
