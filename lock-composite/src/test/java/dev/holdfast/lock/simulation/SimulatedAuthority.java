package dev.holdfast.lock.simulation;

import static dev.holdfast.lock.simulation.FailoverMutant.ASSERTS_IN_ANY_STATE;
import static dev.holdfast.lock.simulation.FailoverMutant.BASE_STAYS;
import static dev.holdfast.lock.simulation.FailoverMutant.FORGETS_MINIMUM_HOLDS;
import static dev.holdfast.lock.simulation.FailoverMutant.FORGETS_RELEASES;
import static dev.holdfast.lock.simulation.FailoverMutant.KEPT_STANDS_IN_THE_WAY;
import static dev.holdfast.lock.simulation.FailoverMutant.LEAVES_ROWS_AT_ACTIVATION;

import dev.holdfast.lock.memory.TransferSpace;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.Carried;
import dev.holdfast.lock.spi.regime.DeposedException;
import dev.holdfast.lock.spi.regime.Membership;
import dev.holdfast.lock.spi.regime.Mode;
import dev.holdfast.lock.spi.regime.Reading;
import dev.holdfast.lock.spi.regime.Regime;
import dev.holdfast.lock.spi.regime.Transition;
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
    private final Consumer<Carried> asserted;
    /** Told of every change. */
    private final Consumer<Mode> changed;

    private final Map<AcquisitionId, Sight> members = new HashMap<>();
    private TransferSpace space;
    private Regime regime;
    private long highest;

    SimulatedAuthority(
            InstantSource clock,
            Duration lease,
            Listeners signals,
            FailoverMutant mutant,
            Consumer<Carried> asserted,
            Consumer<Mode> changed) {
        this.clock = clock;
        this.signals = signals;
        this.mutant = mutant;
        this.asserted = asserted;
        this.changed = changed;
        this.space = newSpace();
        this.regime = new Regime(1, Mode.FALLBACK, "", lease, 1L << 40, 1, "the beginning", clock.instant());
    }

    private TransferSpace newSpace() {
        TransferSpace made = new TransferSpace(clock, signals::tell);
        if (mutant == KEPT_STANDS_IN_THE_WAY) {
            made.keptStands();
        }
        return made;
    }

    Regime regime() {
        return regime;
    }

    int namesInUse() {
        return space.namesInUse();
    }

    @Override
    public Reading read(Membership member, Duration timeout) {
        Instant now = clock.instant();
        members.put(member.id(), new Sight(now, member.suspected()));
        Instant lately = now.minus(regime.lease());
        members.values().removeIf(sight -> !sight.at().isAfter(lately));
        long suspecting = members.values().stream()
                .filter(sight -> sight.suspected() == regime.epoch())
                .count();
        return new Reading(regime, members.size(), (int) suspecting);
    }

    @Override
    public boolean change(Transition change, Duration timeout) {
        Regime next = changed(change);
        if (next == null) {
            return false;
        }
        if (change instanceof Transition.Crown && mutant != LEAVES_ROWS_AT_ACTIVATION) {
            space = newSpace();
        }
        regime = next;
        changed.accept(regime.mode());
        signals.tell(Signal.ANY);
        return true;
    }

    /** Falls are not counted, so that a run sees many changes. */
    private Regime changed(Transition change) {
        if (change.epoch() != regime.epoch()) {
            return null;
        } else if (change instanceof Transition.Depose depose && regime.mode() == Mode.PRIMARY) {
            return next(1, Mode.DRAIN, "", mutant == BASE_STAYS ? 0 : Regime.TOKENS, depose.cause());
        } else if (change instanceof Transition.Open && regime.mode() == Mode.DRAIN) {
            return next(0, Mode.FALLBACK, "", 0, regime.cause());
        } else if (change instanceof Transition.Prepare prepare && regime.mode() == Mode.FALLBACK) {
            return next(1, Mode.PREPARE, prepare.lineage(), Math.max(0, highest - regime.base()), regime.cause());
        } else if (change instanceof Transition.Crown && regime.mode() == Mode.PREPARE) {
            return next(0, Mode.PRIMARY, regime.lineage(), 0, regime.cause());
        } else if (change instanceof Transition.Burn burn && regime.mode() == Mode.PREPARE) {
            return next(1, Mode.FALLBACK, "", 0, burn.cause());
        }
        return null;
    }

    private Regime next(int epochs, Mode mode, String lineage, long tokens, String cause) {
        return new Regime(
                regime.epoch() + epochs,
                mode,
                lineage,
                regime.lease(),
                regime.base() + tokens,
                1,
                cause,
                clock.instant());
    }

    @Override
    public List<Answer> apply(long epoch, List<Step> steps, Duration timeout) {
        return steps.stream().map(step -> apply(epoch, step)).toList();
    }

    private Answer apply(long epoch, Step step) {
        boolean isAllowed =
                regime.mode() == Mode.FALLBACK || (regime.mode() == Mode.DRAIN && !(step instanceof Step.Acquire));
        if (epoch != regime.epoch() || !isAllowed) {
            return deposed();
        }
        boolean forgets = mutant == FORGETS_RELEASES && regime.mode() == Mode.DRAIN;
        Answer answer = space.carryOut(
                forgets && step instanceof Step.Release release
                        ? new Step.Release(release.name(), release.id(), release.keep(), Duration.ZERO)
                        : step,
                Math.max(regime.base(), highest));
        if (answer instanceof Answer.Granted granted) {
            highest = Math.max(highest, granted.token());
        }
        return answer;
    }

    private Answer deposed() {
        return new Answer.Unavailable(new DeposedException(evidence()));
    }

    private String evidence() {
        return "the authority state is " + regime;
    }

    @Override
    public List<Answer> assertAll(long epoch, List<Carried> grants, Duration timeout) {
        boolean isAllowed = (epoch == regime.epoch() && regime.mode() == Mode.DRAIN) || mutant == ASSERTS_IN_ANY_STATE;
        return grants.stream()
                .map(grant -> isAllowed ? assertOne(grant) : deposed())
                .toList();
    }

    private Answer assertOne(Carried grant) {
        if (grant.kept() && mutant == FORGETS_MINIMUM_HOLDS) {
            return new Answer.Granted(grant.token(), grant.remaining());
        }
        if (mutant == ASSERTS_IN_ANY_STATE) {
            space.held().stream()
                    .filter(held -> held.name().equals(grant.name()))
                    .forEach(held ->
                            space.carryOut(new Step.Release(held.name(), held.id(), Duration.ZERO, Duration.ZERO), 0));
        }
        Answer answer = space.put(grant);
        if (answer instanceof Answer.Granted granted) {
            highest = Math.max(highest, granted.token());
            asserted.accept(grant);
        }
        return answer;
    }

    @Override
    public List<Carried> held(long epoch, Optional<LockName> after, int most, Duration timeout) {
        if (epoch != regime.epoch() || regime.mode() != Mode.PREPARE) {
            throw new DeposedException(evidence());
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
    public Regime found(Duration lease, long base, Duration timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Optional<Reading> look(Duration timeout) {
        return Optional.of(new Reading(regime, members.size(), 0));
    }

    @Override
    public AutoCloseable signals(Consumer<Signal> to) {
        return signals.add(to);
    }

    @Override
    public Stream<LockInfo> inspect(String prefix, Duration timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Finding> findings(Duration timeout) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
