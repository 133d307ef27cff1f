package dev.holdfast.lock.simulation;

import static dev.holdfast.lock.simulation.FailoverMutant.ASSERTS_IN_ANY_STATE;
import static dev.holdfast.lock.simulation.FailoverMutant.BASE_STAYS;
import static dev.holdfast.lock.simulation.FailoverMutant.FORGETS_MINIMUM_HOLDS;
import static dev.holdfast.lock.simulation.FailoverMutant.FORGETS_RELEASES;
import static dev.holdfast.lock.simulation.FailoverMutant.KEPT_STANDS_IN_THE_WAY;
import static dev.holdfast.lock.simulation.FailoverMutant.LEAVES_ROWS_AT_ACTIVATION;

import dev.holdfast.lock.memory.TransferSpace;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.spi.failover.AuthorityReading;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import dev.holdfast.lock.spi.failover.Membership;
import dev.holdfast.lock.spi.failover.StaleTermException;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The database: linearizable, as whatever reaches it is carried out at one instant, and never forgetting. */
final class SimulatedAuthority implements AuthorityStore {

    private record Sight(Instant at, long suspected) {}

    private final InstantSource clock;
    private final Listeners signals;
    private final FailoverMutant mutant;
    /** Told of every lease that is asserted. */
    private final Consumer<TransferredLease> asserted;
    /** Told of every change. */
    private final Consumer<FailoverPhase> changed;

    private final Map<AcquisitionId, Sight> members = new HashMap<>();
    private TransferSpace space;
    private AuthorityState state;
    private long highest;

    SimulatedAuthority(
            InstantSource clock,
            Duration lease,
            Listeners signals,
            FailoverMutant mutant,
            Consumer<TransferredLease> asserted,
            Consumer<FailoverPhase> changed) {
        this.clock = clock;
        this.signals = signals;
        this.mutant = mutant;
        this.asserted = asserted;
        this.changed = changed;
        this.space = newSpace();
        this.state =
                new AuthorityState(1, FailoverPhase.FALLBACK, "", lease, 1L << 40, 1, "the beginning", clock.instant());
    }

    private TransferSpace newSpace() {
        TransferSpace made = new TransferSpace(clock, signals::tell);
        if (mutant == KEPT_STANDS_IN_THE_WAY) {
            made.keptStands();
        }
        return made;
    }

    AuthorityState state() {
        return state;
    }

    int namesInUse() {
        return space.namesInUse();
    }

    @Override
    public AuthorityReading read(Membership member, Duration timeout) {
        Instant now = clock.instant();
        members.put(member.id(), new Sight(now, member.suspectedEpoch()));
        Instant lately = now.minus(state.lease());
        members.values().removeIf(sight -> !sight.at().isAfter(lately));
        long suspecting = members.values().stream()
                .filter(sight -> sight.suspected() == state.epoch())
                .count();
        return new AuthorityReading(state, members.size(), (int) suspecting);
    }

    @Override
    public boolean transition(Transition change, Duration timeout) {
        AuthorityState next = changed(change);
        if (next == null) {
            return false;
        }
        if (change instanceof Transition.ActivatePrimary && mutant != LEAVES_ROWS_AT_ACTIVATION) {
            space = newSpace();
        }
        state = next;
        changed.accept(state.phase());
        signals.tell(Notification.ANY);
        return true;
    }

    /** Falls are not counted, so that a run sees many changes. */
    private AuthorityState changed(Transition change) {
        if (change.epoch() != state.epoch()) {
            return null;
        } else if (change instanceof Transition.DrainPrimary drain && state.phase() == FailoverPhase.PRIMARY) {
            return next(
                    1,
                    FailoverPhase.DRAINING,
                    "",
                    mutant == BASE_STAYS ? 0 : AuthorityState.TOKENS_PER_EPOCH,
                    drain.cause());
        } else if (change instanceof Transition.ActivateFallback && state.phase() == FailoverPhase.DRAINING) {
            return next(0, FailoverPhase.FALLBACK, "", 0, state.cause());
        } else if (change instanceof Transition.BeginFailback begin && state.phase() == FailoverPhase.FALLBACK) {
            return next(
                    1,
                    FailoverPhase.FAILING_BACK,
                    begin.replicationId(),
                    Math.max(0, highest - state.tokenBase()),
                    state.cause());
        } else if (change instanceof Transition.ActivatePrimary && state.phase() == FailoverPhase.FAILING_BACK) {
            return next(0, FailoverPhase.PRIMARY, state.replicationId(), 0, state.cause());
        } else if (change instanceof Transition.AbortFailback abort && state.phase() == FailoverPhase.FAILING_BACK) {
            return next(1, FailoverPhase.FALLBACK, "", 0, abort.cause());
        }
        return null;
    }

    private AuthorityState next(int epochs, FailoverPhase phase, String replicationId, long tokens, String cause) {
        return new AuthorityState(
                state.epoch() + epochs,
                phase,
                replicationId,
                state.lease(),
                state.tokenBase() + tokens,
                1,
                cause,
                clock.instant());
    }

    @Override
    public List<LockReply> execute(long epoch, List<LockCommand> commands, Duration timeout) {
        return commands.stream().map(command -> apply(epoch, command)).toList();
    }

    private LockReply apply(long epoch, LockCommand command) {
        boolean isAllowed = state.phase() == FailoverPhase.FALLBACK
                || (state.phase() == FailoverPhase.DRAINING && !(command instanceof LockCommand.Acquire));
        if (epoch != state.epoch() || !isAllowed) {
            return stale();
        }
        boolean forgets = mutant == FORGETS_RELEASES && state.phase() == FailoverPhase.DRAINING;
        LockReply reply = space.carryOut(
                forgets && command instanceof LockCommand.Release release
                        ? new LockCommand.Release(
                                release.name(), release.id(), release.minimumHold(), Duration.ZERO, release.share())
                        : command,
                Math.max(state.tokenBase(), highest));
        if (reply instanceof LockReply.Granted granted) {
            highest = Math.max(highest, granted.token());
        }
        return reply;
    }

    private LockReply stale() {
        return new LockReply.Unavailable(new StaleTermException(evidence()));
    }

    private String evidence() {
        return "the authority state is " + state;
    }

    @Override
    public List<LockReply> assertLeases(long epoch, List<TransferredLease> grants, Duration timeout) {
        boolean isAllowed =
                (epoch == state.epoch() && state.phase() == FailoverPhase.DRAINING) || mutant == ASSERTS_IN_ANY_STATE;
        return grants.stream()
                .map(grant -> isAllowed ? assertOne(grant) : stale())
                .toList();
    }

    private LockReply assertOne(TransferredLease grant) {
        if (grant.minimumHoldOnly() && mutant == FORGETS_MINIMUM_HOLDS) {
            return new LockReply.Granted(grant.token(), grant.remaining());
        }
        if (mutant == ASSERTS_IN_ANY_STATE) {
            space.held(grant.name())
                    .forEach(held -> space.carryOut(
                            new LockCommand.Release(held.name(), held.id(), Duration.ZERO, Duration.ZERO, held.share()),
                            0));
        }
        LockReply reply = space.put(grant, mutant.asserted(grant.share()));
        if (reply instanceof LockReply.Granted granted) {
            highest = Math.max(highest, granted.token());
            asserted.accept(grant);
        }
        return reply;
    }

    @Override
    public List<TransferredLease> leases(long epoch, Optional<LockName> after, int most, Duration timeout) {
        if (epoch != state.epoch() || state.phase() != FailoverPhase.FAILING_BACK) {
            throw new StaleTermException(evidence());
        }
        List<TransferredLease> held = space.held().stream()
                .filter(each -> after.isEmpty() || each.name().compareTo(after.get()) > 0)
                .toList();
        int end = Math.min(most, held.size());
        while (end > 0
                && end < held.size()
                && held.get(end).name().equals(held.get(end - 1).name())) {
            end++;
        }
        return held.subList(0, end);
    }

    @Override
    public long highestToken(Duration timeout) {
        return highest;
    }

    @Override
    public void leave(AcquisitionId member, Duration timeout) {
        members.remove(member);
    }

    @Override
    public AuthorityState initialize(Duration lease, long base, Duration timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<AuthorityReading> peek(Duration timeout) {
        return Optional.of(new AuthorityReading(state, members.size(), 0));
    }

    @Override
    public AutoCloseable subscribe(Consumer<Notification> to) {
        return signals.add(to);
    }

    @Override
    public Stream<LockInfo> list(String prefix, Duration timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Finding> diagnose(Duration timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
