package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.state.ExtendResult;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.FailoverPhase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One run of a composite: a few processes with a few clients each want a few locks while the primary fails over and forgets, the authority is
 * away, and processes stop and die; then everything heals and must come to rest. The same seed is the same run.
 */
final class FailoverSimulation {

    private static final long MILLI = 1_000_000;
    private static final Duration HEALTH_LASTS = Duration.ofSeconds(3);
    private static final Duration FAULTS_LAST = Duration.ofSeconds(60);
    private static final Duration REST_AT_MOST = Duration.ofMinutes(3);
    private static final Duration CALL = Duration.ofMillis(500);

    private static final int PROCESSES = 4;
    private static final int CLIENTS = 2;
    private static final List<LockName> NAMES = List.of(new LockName("a"), new LockName("b"), new LockName("c"));
    /** What runs once, however many processes want it and whatever becomes of the primary meanwhile. */
    private static final LockName NIGHTLY = new LockName("nightly");
    /** Longer than several authority states last. */
    private static final int KEPT_MILLIS = 60_000;

    private static final int MOST_PERMITS = 4;

    private final FailoverWorld world;
    private final VirtualTime time;
    private final Random random;
    private final FailoverWatch watch;
    private final Checker checker;
    private final boolean hasShares;
    /** Of a shorter lease no composite promises that it survives a failover. */
    private final Duration shortest;

    private final List<FailoverProcess> processes = new ArrayList<>();
    private int unfinished;

    /** @param hasShares whether the clients are readers, writers and users of permits; otherwise all locks are exclusive */
    FailoverSimulation(long seed, FailoverMutant mutant, boolean hasShares) {
        this.hasShares = hasShares;
        world = new FailoverWorld(seed, mutant);
        time = world.time;
        random = world.random;
        watch = world.watch;
        checker = watch.checker();
        shortest = world.timing.shortestLease(CALL);
    }

    void run() {
        for (int i = 0; i < PROCESSES; i++) {
            startProcess();
        }
        time.run(HEALTH_LASTS, () -> false);
        checker.that(
                world.authority.state().phase() == FailoverPhase.PRIMARY, "liveness: the first term has not begun");
        trouble();
        troubleOfThePrimary();
        weather();
        time.run(FAULTS_LAST, () -> false);
        heal();
        time.run(REST_AT_MOST, this::isAtRest);
        checker.that(unfinished == 0, "liveness: %d clients never came to an end", unfinished);
        checker.that(
                world.authority.state().phase() == FailoverPhase.PRIMARY,
                "liveness: the primary is not back in power, but %s",
                world.authority.state());
        checker.that(checker.nothingHeld(), "liveness: a lock is held for ever");
        for (FailoverProcess process : processes) {
            checker.that(process.known() == 0, "leak: a member knows %d leases or ids", process.known());
        }
        checker.that(
                world.authority.namesInUse() == 0, "leak: the authority knows %d names", world.authority.namesInUse());
        checker.that(world.redis.namesInUse() == 0, "leak: the primary knows %d names", world.redis.namesInUse());
    }

    private boolean isAtRest() {
        return unfinished == 0
                && world.authority.state().phase() == FailoverPhase.PRIMARY
                && checker.nothingHeld()
                && processes.stream().allMatch(process -> process.known() == 0)
                && world.authority.namesInUse() == 0
                && world.redis.namesInUse() == 0;
    }

    private void heal() {
        world.network.heal();
        world.redis.heal();
        time.after(5_000 * MILLI, world.redis::reconnect);
    }

    private long upTo(long millis) {
        return random.nextLong(millis * MILLI);
    }

    // -- clients

    private void startProcess() {
        FailoverProcess process = new FailoverProcess(world, world.redis.master());
        processes.add(process);
        world.redis.addClient(process);
        for (int i = 0; i < CLIENTS; i++) {
            think(process);
        }
    }

    private void think(FailoverProcess process) {
        if (!world.network.isHealed()) {
            unfinished++;
            time.after(upTo(1_500), () -> process.run(() -> ask(process)));
        }
    }

    private void ask(FailoverProcess process) {
        boolean isNightly = random.nextInt(8) == 0;
        LockName name = isNightly ? NIGHTLY : NAMES.get(random.nextInt(NAMES.size()));
        WaitPolicy patience = switch (random.nextInt(isNightly ? 2 : 4)) {
            case 0 -> WaitPolicy.once(CALL);
            case 1 -> WaitPolicy.upTo(Duration.ofMillis(random.nextInt(1, 3_000)), CALL);
            default -> WaitPolicy.unlimited();
        };
        LeaseOptions terms = terms(isNightly ? KEPT_MILLIS : random.nextInt(6) == 0 ? 3_000 : 0);
        Lane lane = random.nextInt(4) == 0 ? Lane.BACKGROUND : Lane.CALLER;
        SimulatedCaller caller =
                new SimulatedCaller(process, lane, outcome -> onOutcome(process, name, terms, outcome));
        Waiter waiter = process.engine().acquire(name, terms, patience, lane, caller);
        if (random.nextInt(6) == 0) {
            time.after(upTo(500), () -> process.run(waiter::withdraw));
        }
    }

    private LeaseOptions terms(int keptMillis) {
        Duration length = shortest.plusMillis(random.nextInt(6_000));
        Duration minimum = keptMillis == 0 ? Duration.ZERO : Duration.ofMillis(random.nextInt(keptMillis));
        return new LeaseOptions(length, random.nextInt(4) != 0, minimum, CALL).withShare(share());
    }

    private Share share() {
        if (!hasShares) {
            return Share.EXCLUSIVE;
        }
        return switch (random.nextInt(6)) {
            case 0 -> Share.EXCLUSIVE;
            case 1, 2 -> Share.shared();
            default -> {
                int limit = random.nextInt(2, MOST_PERMITS + 1);
                yield new Share(random.nextInt(1, limit + 1), limit);
            }
        };
    }

    private void onOutcome(FailoverProcess process, LockName name, LeaseOptions terms, AcquireResult outcome) {
        if (outcome instanceof AcquireResult.Held held) {
            Checker.HeldLease hold = watch.held(process, name, terms, held.holder());
            boolean isExtended = !terms.renewed() && random.nextBoolean();
            if (isExtended) {
                extendLater(process, name, terms, held.holder());
            }
            time.after(
                    isExtended ? upTo(30_000) : holdingTime(),
                    () -> process.run(() -> release(process, name, terms, held.holder(), hold)));
        } else {
            unfinished--;
            think(process);
        }
    }

    /** Again and again until the lease is over, for longer or shorter than before. */
    private void extendLater(FailoverProcess process, LockName name, LeaseOptions terms, LeaseHolder held) {
        time.after(upTo(1_500), () -> process.run(() -> extend(process, name, terms, held)));
    }

    private void extend(FailoverProcess process, LockName name, LeaseOptions terms, LeaseHolder held) {
        Duration length = random.nextBoolean() ? shortest : shortest.plusMillis(random.nextInt(30_000));
        long until = time.now() + length.minus(length.dividedBy(50)).toNanos();
        boolean wasHeld = held.extend(length, random.nextBoolean() ? Lane.CALLER : Lane.BACKGROUND, result -> {
            if (result instanceof ExtendResult.Extended) {
                watch.extended(process, name, terms, held, until);
            }
        });
        if (wasHeld) {
            extendLater(process, name, terms, held);
        }
    }

    /** Some keep it through a failover and back, some for a while, and some so shortly that it may be handed on. */
    private long holdingTime() {
        return switch (random.nextInt(6)) {
            case 0 -> upTo(15_000);
            case 1 -> upTo(4_000);
            case 2, 3 -> upTo(500);
            default -> upTo(5);
        };
    }

    private void release(
            FailoverProcess process, LockName name, LeaseOptions terms, LeaseHolder held, Checker.HeldLease hold) {
        Duration patience = random.nextBoolean() ? Duration.ZERO : Duration.ofSeconds(10);
        hold.releasing();
        boolean wasHeld = held.release(Lane.CALLER, patience, ended -> {
            unfinished--;
            think(process);
        });
        if (wasHeld) {
            hold.released();
            watch.released(process, name, terms, held);
        } else {
            unfinished--;
            held.onLoss(loss -> think(process)); // at once: it is lost
        }
    }

    // -- trouble

    /** Messages are lost and late for a while, and then not. */
    private void weather() {
        if (world.network.isHealed()) {
            return;
        }
        boolean isBad = random.nextInt(3) == 0;
        if (isBad) {
            world.network.breakDown();
        } else {
            world.network.calmDown();
        }
        time.after(upTo(isBad ? 8_000 : 20_000), this::weather);
    }

    private void trouble() {
        if (world.network.isHealed()) {
            return;
        }
        FailoverProcess victim = processes.get(random.nextInt(processes.size()));
        switch (random.nextInt(7)) {
            case 0 -> world.authorityGoesDown(upTo(2_500));
            case 1 -> victim.links().cutFromAuthority(upTo(4_000));
            case 2 -> victim.links().cutFromPrimary(upTo(4_000));
            case 3 -> kill(victim);
            case 4 -> victim.stop(upTo(4_000), random.nextBoolean());
            case 5 -> victim.stopWithinAnAcquire(upTo(4_000), random.nextBoolean());
            default -> {}
        }
        time.after(upTo(8_000), this::trouble);
    }

    private void kill(FailoverProcess victim) {
        if (processes.size() < PROCESSES) {
            return;
        }
        victim.die();
        checker.died(victim);
        processes.remove(victim);
        world.redis.removeClient(victim);
        unfinished -= CLIENTS;
        startProcess();
    }

    /** Mostly while it is in power. */
    private void troubleOfThePrimary() {
        if (world.network.isHealed()) {
            return;
        }
        FailoverPhase phase = world.authority.state().phase();
        boolean isWorthIt =
                phase == FailoverPhase.PRIMARY || random.nextInt(phase == FailoverPhase.FAILING_BACK ? 20 : 100) == 0;
        if (isWorthIt) {
            switch (random.nextInt(9)) {
                case 0, 1 -> world.redis.failOver();
                case 2, 3 -> world.redis.split();
                case 4 -> world.redis.flush();
                case 5 -> world.redis.restartEmpty();
                case 6 -> world.redis.stepClock();
                case 7 -> world.redis.mislead();
                default -> world.redis.fallSilent();
            }
        }
        time.after(phase == FailoverPhase.PRIMARY ? upTo(10_000) : upTo(100), this::troubleOfThePrimary);
    }
}
