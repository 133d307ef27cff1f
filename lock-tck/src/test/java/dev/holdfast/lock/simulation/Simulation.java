package dev.holdfast.lock.simulation;

import dev.holdfast.lock.internal.Asking;
import dev.holdfast.lock.internal.Grant;
import dev.holdfast.lock.internal.Outcome;
import dev.holdfast.lock.internal.Patience;
import dev.holdfast.lock.internal.StoreCalls.Lane;
import dev.holdfast.lock.internal.Terms;
import dev.holdfast.lock.spi.LockName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One run: a few processes with a few clients each want a few locks, first in peace, then for as long as faults last; then everything heals and
 * must come to rest. {@link Checker} watches. The same seed is the same run.
 */
class Simulation {

    private static final long MILLI = 1_000_000;
    private static final Duration HEALTH_LASTS = Duration.ofSeconds(3);
    private static final Duration FAULTS_LAST = Duration.ofSeconds(20);
    private static final Duration REST_AT_MOST = Duration.ofMinutes(2);
    private static final Duration LATE_MESSAGES_AND_THEIR_LEASES = Duration.ofSeconds(6);
    /** Some round trips, and much less than a lease. */
    private static final Duration SETTLING = Duration.ofMillis(100);

    private static final int PROCESSES = 3;
    private static final int CLIENTS = 3;
    private static final List<LockName> NAMES = List.of(new LockName("a"), new LockName("b"));
    static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration CALL = Duration.ofMillis(300);

    private final VirtualTime time = new VirtualTime();
    private final Network network = new Network();
    private final Random random;
    private final SimulatedStore store;
    private final List<SimulatedProcess> processes = new ArrayList<>();
    private final Checker checker;
    private int unfinished;

    Simulation(long seed) {
        random = new Random(seed);
        store = newStore(time);
        // Stops are seen by looking at the state, which ends what is over; without them, only being told of the loss
        // counts.
        checker = new Checker(time, seed % 2 == 0);
    }

    SimulatedStore newStore(VirtualTime virtualTime) {
        return new SimulatedStore(virtualTime);
    }

    SimulatedProcess newProcess(VirtualTime virtualTime, SimulatedStore to, Network over, Random from) {
        return new SimulatedProcess(virtualTime, to, over, from);
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

    private void mustComeToRest() {
        time.run(LATE_MESSAGES_AND_THEIR_LEASES, () -> false);
        for (LockName name : NAMES) {
            SimulatedProcess process = newProcess(time, store, network, random);
            process.engine()
                    .ask(name, terms(), Patience.unlimited(), outcome -> {})
                    .withdraw();
            time.run(SETTLING, () -> false);
            boolean[] granted = new boolean[1];
            process.engine()
                    .ask(name, terms(), Patience.none(CALL), outcome -> granted[0] = outcome instanceof Outcome.Held);
            time.run(SETTLING, () -> granted[0]);
            checker.that(granted[0], "P5: a question that was withdrawn left '%s' behind as held", name);
            boolean[] settled = new boolean[1];
            process.engine().close(() -> settled[0] = true);
            time.run(SETTLING, () -> settled[0]);
            checker.that(settled[0], "close: the engine never settled");
        }
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
            time.after(random.nextLong(300 * MILLI), () -> process.run(() -> ask(process)));
        }
    }

    private void ask(SimulatedProcess process) {
        LockName name = NAMES.get(random.nextInt(NAMES.size()));
        Asked asked = checker.asked(name, store, network);
        Patience patience = switch (random.nextInt(3)) {
            case 0 -> Patience.none(CALL);
            case 1 -> Patience.of(Duration.ofMillis(random.nextInt(1, 3_000)), CALL);
            default -> Patience.unlimited();
        };
        Asking asking = process.engine().ask(name, terms(), patience, outcome -> onOutcome(process, asked, outcome));
        if (random.nextInt(4) == 0) {
            time.after(random.nextLong(500 * MILLI), () -> process.run(asking::withdraw));
        }
    }

    private void onOutcome(SimulatedProcess process, Asked asked, Outcome outcome) {
        asked.ended(outcome);
        if (outcome instanceof Outcome.Held held) {
            Checker.Hold hold = checker.held(process, asked.name(), held.grant());
            long length = random.nextInt(4) == 0 ? random.nextLong(4_000 * MILLI) : random.nextLong(200 * MILLI);
            time.after(length, () -> process.run(() -> giveBack(process, held.grant(), hold)));
        } else {
            unfinished--;
            think(process);
        }
    }

    private void giveBack(SimulatedProcess process, Grant grant, Checker.Hold hold) {
        Duration patience = random.nextBoolean() ? Duration.ZERO : Duration.ofSeconds(10);
        boolean wasHeld = grant.release(Lane.CALLER, patience, ended -> {
            unfinished--;
            think(process);
        });
        if (wasHeld) {
            hold.released();
        } else {
            unfinished--;
            think(process);
        }
    }

    private Terms terms() {
        Duration minimum = random.nextInt(5) == 0 ? Duration.ofMillis(random.nextInt(900)) : Duration.ZERO;
        return new Terms(LEASE, random.nextInt(4) != 0, minimum, CALL);
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
