package dev.holdfast.lock.simulation;

import dev.holdfast.lock.LeaseState;
import dev.holdfast.lock.internal.engine.AcquireResult;
import dev.holdfast.lock.internal.engine.LeaseHolder;
import dev.holdfast.lock.internal.engine.Waiter;
import dev.holdfast.lock.internal.state.ExtendResult;
import dev.holdfast.lock.internal.state.LeaseOptions;
import dev.holdfast.lock.internal.state.WaitPolicy;
import dev.holdfast.lock.internal.transport.StoreExecutor.Lane;
import dev.holdfast.lock.spi.Capability;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.support.QueueTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * One run: a few processes with a few clients each acquire a few locks, first without faults, then with faults; then everything
 * heals and must come to rest. {@link Checker} watches. The same seed gives the same run.
 */
class Simulation {

    private static final long MILLI = 1_000_000;
    private static final Duration HEALTH_LASTS = Duration.ofSeconds(3);
    private static final Duration FAULTS_LAST = Duration.ofSeconds(20);
    private static final Duration REST_AT_MOST = Duration.ofMinutes(2);
    private static final Duration LATE_MESSAGES_AND_WHAT_THEY_LEAVE =
            Duration.ofSeconds(6).plus(QueueTimes.WAITER_TTL);
    /** Some round trips, and much less than a lease. */
    private static final Duration SETTLING = Duration.ofMillis(100);

    private static final int PROCESSES = 3;
    private static final int CLIENTS = 3;
    private static final List<LockName> NAMES = List.of(new LockName("a"), new LockName("b"));
    private static final List<Set<Capability>> ABILITIES = List.of(
            Set.of(),
            Set.of(Capability.QUEUE),
            Set.of(Capability.NOTIFICATIONS),
            Set.of(Capability.QUEUE, Capability.NOTIFICATIONS),
            Set.of(Capability.QUEUE, Capability.NOTIFICATIONS));
    private static final List<Integer> HANDOFFS = List.of(1, 3, 16);
    static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration CALL = Duration.ofMillis(300);

    private final VirtualTime time = new VirtualTime();
    private final Network network = new Network();
    private final Random random;
    private final SimulatedStore store;
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private final Checker checker;
    private final ArrivalOrder order;
    private final Promptness promptness;
    private int unfinished;
    private boolean peaceful;

    Simulation(long seed) {
        random = new Random(seed);
        Set<Capability> abilities = ABILITIES.get(random.nextInt(ABILITIES.size()));
        int handoff = HANDOFFS.get(random.nextInt(HANDOFFS.size()));
        store = newStore(time, abilities, handoff);
        // With stops, the state of a lease shows its end, because reading the state ends an expired lease. Without
        // stops, only the notification of the loss counts.
        checker = new Checker(time, seed % 2 == 0);
        order = arrivalOrder();
        promptness = new Promptness(time, checker);
        store.whenOver(checker::over);
    }

    /** The share of the next acquire. */
    Share share(Random source) {
        return Share.EXCLUSIVE;
    }

    private ArrivalOrder arrivalOrder() {
        if (store.abilities().contains(Capability.SHARES)) {
            return ArrivalOrder.ofShares(checker);
        }
        return store.abilities().contains(Capability.QUEUE)
                ? ArrivalOrder.ofQueue(checker, store.handoff(), PROCESSES - 1)
                : ArrivalOrder.withoutQueue(checker);
    }

    SimulatedStore newStore(VirtualTime virtualTime, Set<Capability> abilities, int handoff) {
        return new SimulatedStore(virtualTime, abilities, handoff);
    }

    SimulatedProcess newProcess(VirtualTime virtualTime, SimulatedStore target, Network link, Random source) {
        return new SimulatedProcess(virtualTime, target, link, source);
    }

    /** @throws AssertionError if a promise is broken */
    final void run() {
        for (int i = 0; i < PROCESSES; i++) {
            startProcess();
        }
        time.run(HEALTH_LASTS, () -> false);
        network.breakDown();
        time.after(random.nextLong(3_000 * MILLI), this::trouble);
        time.run(FAULTS_LAST, () -> false);
        network.heal();
        store.comeUp();
        time.run(REST_AT_MOST, () -> unfinished == 0 && checker.nothingHeld());
        checker.that(unfinished == 0, "liveness: %d clients never got an outcome after the faults stopped", unfinished);
        mustComeToRest();
    }

    /**
     * The same without faults. Nothing may be left behind, and the check follows at once.
     *
     * @throws AssertionError if a promise is broken
     */
    final void runInPeace() {
        peaceful = true;
        for (int i = 0; i < PROCESSES; i++) {
            startProcess();
        }
        time.run(HEALTH_LASTS, () -> false);
        network.heal(); // no client begins another acquire
        time.run(REST_AT_MOST, () -> unfinished == 0 && checker.nothingHeld());
        time.run(SETTLING, () -> false);
        checker.that(store.namesInUse() == 0, "leak: the store still knows %d names", store.namesInUse());
        processes.forEach(this::close);
        checker.that(store.subscriptions() == 0, "leak: %d still listen", store.subscriptions());
    }

    private void close(SimulatedProcess process) {
        boolean[] settled = new boolean[1];
        process.engine().close(() -> settled[0] = true);
        time.run(SETTLING, () -> settled[0]);
        checker.that(settled[0], "close: the engine never settled");
    }

    private void mustComeToRest() {
        time.run(LATE_MESSAGES_AND_WHAT_THEY_LEAVE, () -> false);
        for (LockName name : NAMES) {
            SimulatedProcess process = newProcess(time, store, network, random);
            process.engine()
                    .acquire(name, leaseOptions(), WaitPolicy.unlimited(), Lane.CALLER, outcome -> {})
                    .withdraw();
            time.run(SETTLING, () -> false);
            boolean[] granted = new boolean[1];
            process.engine()
                    .acquire(
                            name,
                            leaseOptions(),
                            WaitPolicy.once(CALL),
                            Lane.CALLER,
                            outcome -> granted[0] = outcome instanceof AcquireResult.Held);
            time.run(SETTLING, () -> granted[0]);
            checker.that(granted[0], "P5: a question that was withdrawn left '%s' behind as held", name);
            close(process);
        }
        processes.forEach(this::close);
    }

    private void startProcess() {
        SimulatedProcess process = newProcess(time, store, network, random);
        processes.add(process);
        for (int i = 0; i < CLIENTS; i++) {
            think(process);
        }
    }

    private void think(SimulatedProcess process) {
        if (!network.isHealed()) {
            unfinished++;
            time.after(random.nextLong(300 * MILLI), () -> process.run(() -> acquire(process)));
        }
    }

    private void acquire(SimulatedProcess process) {
        acquire(process, NAMES.get(random.nextInt(NAMES.size())));
    }

    private void acquire(SimulatedProcess process, LockName name) {
        WaitPolicy waitPolicy = switch (random.nextInt(3)) {
            case 0 -> WaitPolicy.once(CALL);
            case 1 -> WaitPolicy.upTo(Duration.ofMillis(random.nextInt(1, 3_000)), CALL);
            default -> WaitPolicy.unlimited();
        };
        boolean queues = waitPolicy.limit().filter(Duration::isZero).isEmpty();
        AcquireCall call = new AcquireCall(checker, order, process, name, time.now(), queues, store, network);
        if (isPrompt() && queues) {
            promptness.began(call);
        }
        Lane lane = random.nextInt(4) == 0 ? Lane.BACKGROUND : Lane.CALLER;
        LeaseOptions options = leaseOptions().withShare(share(random));
        SimulatedCaller caller = new SimulatedCaller(process, lane, outcome -> {
            onOutcome(process, call, outcome, options.share());
            if (outcome instanceof AcquireResult.Held held && !options.renewed()) {
                extendLater(process, held.holder());
            }
        });
        Waiter waiter = process.engine().acquire(name, options, waitPolicy, lane, caller);
        if (random.nextInt(4) == 0) {
            time.after(random.nextLong(500 * MILLI), () -> process.run(waiter::withdraw));
        }
    }

    private void onOutcome(SimulatedProcess process, AcquireCall call, AcquireResult outcome, Share share) {
        call.ended(outcome);
        if (isPrompt()) {
            promptness.ended(call, outcome instanceof AcquireResult.Held);
        }
        if (outcome instanceof AcquireResult.Held held) {
            Checker.HeldLease hold = checker.held(process, call.name(), held.holder(), share);
            time.after(holdingTime(), () -> process.run(() -> release(process, call.name(), held.holder(), hold)));
        } else {
            unfinished--;
            think(process);
        }
    }

    /** Again and again until the lease is over, sometimes before the call before is answered. */
    private void extendLater(SimulatedProcess process, LeaseHolder held) {
        long pause = random.nextLong((random.nextBoolean() ? 20 : 1_000) * MILLI);
        time.after(pause, () -> process.run(() -> extend(process, held)));
    }

    private void extend(SimulatedProcess process, LeaseHolder held) {
        Duration length = Duration.ofMillis(random.nextInt(100, 4_000));
        long asked = time.now();
        boolean wasHeld = held.extend(length, random.nextBoolean() ? Lane.CALLER : Lane.BACKGROUND, result -> {
            Duration atLeast = length.minus(length.dividedBy(50)).minusNanos(time.now() - asked);
            checker.that(
                    !(result instanceof ExtendResult.Extended)
                            || held.remaining().compareTo(atLeast) >= 0
                            || held.state() != LeaseState.HELD,
                    "P10: a lease was extended to %s, and has %s left after %,d ns",
                    length,
                    held.remaining(),
                    time.now() - asked);
        });
        if (wasHeld) {
            extendLater(process, held);
        }
    }

    /** Whether the store notifies waiters of exclusive locks, and nothing fails. */
    private boolean isPrompt() {
        return peaceful
                && store.abilities().containsAll(Set.of(Capability.QUEUE, Capability.NOTIFICATIONS))
                && !store.abilities().contains(Capability.SHARES);
    }

    /** Long, medium, or so short that the lease may be handed on. */
    private long holdingTime() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextLong(4_000 * MILLI);
            case 1 -> random.nextLong(200 * MILLI);
            default -> random.nextLong(5 * MILLI);
        };
    }

    private void release(SimulatedProcess process, LockName name, LeaseHolder held, Checker.HeldLease hold) {
        Duration releaseTimeout = random.nextBoolean() ? Duration.ZERO : Duration.ofSeconds(10);
        hold.releasing();
        if (isPrompt()) {
            promptness.released(name);
        }
        boolean waits = random.nextInt(3) != 0;
        boolean wasHeld = held.release(waits ? Lane.CALLER : Lane.BACKGROUND, releaseTimeout, ended -> {
            if (waits) {
                unfinished--;
                think(process);
            }
        });
        if (wasHeld) {
            hold.released();
            if (!waits) {
                goOn(process, name);
            }
        } else {
            unfinished--;
            held.onLoss(loss -> think(process)); // runs at once, as the lease is lost
        }
    }

    /** The client acquires the same lock again, before the release is answered. */
    private void goOn(SimulatedProcess process, LockName name) {
        if (network.isHealed()) {
            unfinished--;
        } else {
            acquire(process, name);
        }
    }

    private LeaseOptions leaseOptions() {
        if (peaceful) {
            return new LeaseOptions(LEASE.multipliedBy(random.nextInt(1, 10)), true, Duration.ZERO, CALL);
        }
        Duration minimum = random.nextInt(5) == 0 ? Duration.ofMillis(random.nextInt(900)) : Duration.ZERO;
        return new LeaseOptions(LEASE, random.nextInt(4) != 0, minimum, CALL);
    }

    private void trouble() {
        if (network.isHealed()) {
            return;
        }
        SimulatedProcess victim = processes.get(random.nextInt(processes.size()));
        switch (random.nextInt(checker.watchesStates() ? 4 : 2)) {
            case 0 -> {
                store.goDown();
                time.after(random.nextLong(2_500 * MILLI), store::comeUp);
            }
            case 1 -> {
                if (!victim.isDead()) {
                    checker.died(victim);
                    order.died(victim);
                    unfinished -= CLIENTS;
                    victim.die();
                    processes.remove(victim);
                    startProcess();
                }
            }
            case 2 -> victim.stop(random.nextLong(3_000 * MILLI), false);
            default -> victim.stop(random.nextLong(3_000 * MILLI), true);
        }
        time.after(random.nextLong(3_000 * MILLI), this::trouble);
    }
}
