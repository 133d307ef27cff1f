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
    private AuthorityState regime;
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
        this.regime =
                new AuthorityState(1, FailoverPhase.FALLBACK, "", lease, 1L << 40, 1, "the beginning", clock.instant());
    }

    private TransferSpace newSpace() {
        TransferSpace made = new TransferSpace(clock, signals::tell);
        if (mutant == KEPT_STANDS_IN_THE_WAY) {
            made.keptStands();
        }
        return made;
    }

    AuthorityState regime() {
        return regime;
    }

    int namesInUse() {
        return space.namesInUse();
    }

    @Override
    public AuthorityReading read(Membership member, Duration timeout) {
        Instant now = clock.instant();
        members.put(member.id(), new Sight(now, member.suspectedEpoch()));
        Instant lately = now.minus(regime.lease());
        members.values().removeIf(sight -> !sight.at().isAfter(lately));
        long suspecting = members.values().stream()
                .filter(sight -> sight.suspected() == regime.epoch())
                .count();
        return new AuthorityReading(regime, members.size(), (int) suspecting);
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
        regime = next;
        changed.accept(regime.phase());
        signals.tell(Notification.ANY);
        return true;
    }

    /** Falls are not counted, so that a run sees many changes. */
    private AuthorityState changed(Transition change) {
        if (change.epoch() != regime.epoch()) {
            return null;
        } else if (change instanceof Transition.DrainPrimary depose && regime.phase() == FailoverPhase.PRIMARY) {
            return next(
                    1,
                    FailoverPhase.DRAINING,
                    "",
                    mutant == BASE_STAYS ? 0 : AuthorityState.TOKENS_PER_EPOCH,
                    depose.cause());
        } else if (change instanceof Transition.ActivateFallback && regime.phase() == FailoverPhase.DRAINING) {
            return next(0, FailoverPhase.FALLBACK, "", 0, regime.cause());
        } else if (change instanceof Transition.BeginFailback prepare && regime.phase() == FailoverPhase.FALLBACK) {
            return next(
                    1,
                    FailoverPhase.FAILING_BACK,
                    prepare.replicationId(),
                    Math.max(0, highest - regime.tokenBase()),
                    regime.cause());
        } else if (change instanceof Transition.ActivatePrimary && regime.phase() == FailoverPhase.FAILING_BACK) {
            return next(0, FailoverPhase.PRIMARY, regime.replicationId(), 0, regime.cause());
        } else if (change instanceof Transition.AbortFailback burn && regime.phase() == FailoverPhase.FAILING_BACK) {
            return next(1, FailoverPhase.FALLBACK, "", 0, burn.cause());
        }
        return null;
    }

    private AuthorityState next(int epochs, FailoverPhase mode, String lineage, long tokens, String cause) {
        return new AuthorityState(
                regime.epoch() + epochs,
                mode,
                lineage,
                regime.lease(),
                regime.tokenBase() + tokens,
                1,
                cause,
                clock.instant());
    }

    @Override
    public List<LockReply> execute(long epoch, List<LockCommand> steps, Duration timeout) {
        return steps.stream().map(step -> apply(epoch, step)).toList();
    }

    private LockReply apply(long epoch, LockCommand step) {
        boolean isAllowed = regime.phase() == FailoverPhase.FALLBACK
                || (regime.phase() == FailoverPhase.DRAINING && !(step instanceof LockCommand.Acquire));
        if (epoch != regime.epoch() || !isAllowed) {
            return deposed();
        }
        boolean forgets = mutant == FORGETS_RELEASES && regime.phase() == FailoverPhase.DRAINING;
        LockReply answer = space.carryOut(
                forgets && step instanceof LockCommand.Release release
                        ? new LockCommand.Release(release.name(), release.id(), release.minimumHold(), Duration.ZERO)
                        : step,
                Math.max(regime.tokenBase(), highest));
        if (answer instanceof LockReply.Granted granted) {
            highest = Math.max(highest, granted.token());
        }
        return answer;
    }

    private LockReply deposed() {
        return new LockReply.Unavailable(new StaleTermException(evidence()));
    }

    private String evidence() {
        return "the authority state is " + regime;
    }

    @Override
    public List<LockReply> assertLeases(long epoch, List<TransferredLease> grants, Duration timeout) {
        boolean isAllowed =
                (epoch == regime.epoch() && regime.phase() == FailoverPhase.DRAINING) || mutant == ASSERTS_IN_ANY_STATE;
        return grants.stream()
                .map(grant -> isAllowed ? assertOne(grant) : deposed())
                .toList();
    }

    private LockReply assertOne(TransferredLease grant) {
        if (grant.minimumHoldOnly() && mutant == FORGETS_MINIMUM_HOLDS) {
            return new LockReply.Granted(grant.token(), grant.remaining());
        }
        if (mutant == ASSERTS_IN_ANY_STATE) {
            space.held().stream()
                    .filter(held -> held.name().equals(grant.name()))
                    .forEach(held -> space.carryOut(
                            new LockCommand.Release(held.name(), held.id(), Duration.ZERO, Duration.ZERO), 0));
        }
        LockReply answer = space.put(grant);
        if (answer instanceof LockReply.Granted granted) {
            highest = Math.max(highest, granted.token());
            asserted.accept(grant);
        }
        return answer;
    }

    @Override
    public List<TransferredLease> leases(long epoch, Optional<LockName> after, int most, Duration timeout) {
        if (epoch != regime.epoch() || regime.phase() != FailoverPhase.FAILING_BACK) {
            throw new StaleTermException(evidence());
        }
        return space.held().stream()
                .filter(held -> after.isEmpty() || held.name().compareTo(after.get()) > 0)
                .limit(most)
                .toList();
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
        return Optional.of(new AuthorityReading(regime, members.size(), 0));
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
