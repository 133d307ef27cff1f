package dev.holdfast.lock.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.Lease;
import dev.holdfast.lock.Locks;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.Claims;
import dev.holdfast.lock.testing.Contention;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.Hold;
import dev.holdfast.lock.testing.LocksOpener;
import dev.holdfast.lock.testing.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes with readers, writers and permits on the same locks, some of which are killed (SIGKILL) or stopped (SIGSTOP) at any moment
 * of their calls: leases that last at the same time are compatible, tokens rise, and what a dead process held is free after its lease.
 *
 * <p>{@code -Dlock.test.seed} repeats the faults of an earlier run; a file named after the class in {@code target} says what was seen.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS) // a hang, not many rounds
public abstract class KilledProcessesContract {

    private static final List<String> NAMES = List.of("one", "two", "three");
    private static final Contention MIXED = Contention.mixed(NAMES);
    private static final int PROCESSES = 4;
    private static final int THREADS = 3;
    private static final int MANY_ROUNDS = 10 * Integer.getInteger("lock.test.scale", 1);
    private static final int HOLDS_OF_A_ROUND = 30;
    private static final int LONGEST_PAUSE_NANOS = 20_000_000;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private final long seed = Seeds.any();
    private final Random random = new Random(seed);
    private final List<ContenderProcess> processes = new ArrayList<>();
    private History history;

    private enum Fault {
        /** For longer than its leases. */
        STOPPED_FOR_LONG,
        /** For a moment. */
        STOPPED_BRIEFLY,
        KILLED
    }

    /** How the locks are opened, but for the lengths of leases and calls. */
    protected abstract Properties settings();

    /** The lease of processes that are stopped for longer and killed, with calls of half a second: a short one, as others wait for its end. */
    protected String lease() {
        return "1500ms";
    }

    /** How the locks of a holder are opened that outlives others, however long the machine stands still. */
    protected Properties settingsOfTheLiving() {
        return settings();
    }

    /** The lease of a process that is killed beside such a holder. */
    protected String leaseOfTheDead() {
        return lease();
    }

    /**
     * Breaks the store in the middle of what the processes do, just before one of them is struck.
     *
     * @return what happened, for the log; empty for nothing
     */
    protected String strikeStore(Random random) {
        return "";
    }

    private static Properties with(String lease, String callTimeout, Properties settings) {
        Properties all = new Properties();
        all.putAll(settings);
        all.setProperty("lock.lease", lease);
        all.setProperty("lock.call-timeout", callTimeout);
        return all;
    }

    @BeforeEach
    void begin() {
        history = new History(directory);
    }

    @AfterEach
    void kill() {
        processes.forEach(ContenderProcess::close);
    }

    // Many processes

    @Test
    void sharesOfProcesses_whenSomeAreStoppedAndKilled_fitTogetherAndTokensRise() throws Exception {
        contend(List.of(Fault.STOPPED_BRIEFLY, Fault.KILLED));
    }

    @Test
    @Tag("long")
    void sharesOfProcesses_whenManyAreStoppedAndKilled_fitTogetherAndTokensRise() throws Exception {
        List<Fault> faults = new ArrayList<>();
        for (int round = 0; round < MANY_ROUNDS; round++) {
            faults.add(Fault.values()[round % Fault.values().length]);
        }
        Collections.shuffle(faults, random);
        contend(faults);
    }

    private void contend(List<Fault> faults) throws Exception {
        for (int place = 0; place < PROCESSES; place++) {
            processes.add(start(Integer.toString(place)));
        }
        for (ContenderProcess each : processes) {
            each.awaitReady();
        }
        Map<String, Integer> struck = new TreeMap<>();
        for (int round = 0; round < faults.size(); round++) {
            awaitHolds();
            String store = strikeStore(random);
            LockSupport.parkNanos(random.nextInt(LONGEST_PAUSE_NANOS));
            strike(faults.get(round), random.nextInt(PROCESSES), round < faults.size() - 1);
            struck.merge((faults.get(round) + " " + store).strip(), 1, Integer::sum);
        }
        awaitAllShares();
        for (ContenderProcess each : processes) {
            each.end();
        }
        log(struck);
        assertThat(history.violations()).as("with -Dlock.test.seed=%d", seed).isEmpty();
        history.verify(faults.size() * HOLDS_OF_A_ROUND);
    }

    private ContenderProcess start(String name) throws IOException {
        // What a dead process held is granted again when its lease is over.
        return ContenderProcess.start(
                "process-" + name,
                directory,
                history,
                with(lease(), "500ms", settings()),
                MIXED,
                THREADS,
                random.nextLong());
    }

    /** @param isReplaced whether another process takes the place of a dead one */
    private void strike(Fault fault, int place, boolean isReplaced) throws Exception {
        ContenderProcess process = processes.get(place);
        switch (fault) {
            case KILLED -> {
                process.kill();
                processes.remove(place);
                if (isReplaced) {
                    ContenderProcess next = start(place + "-" + random.nextLong());
                    processes.add(place, next);
                    next.awaitReady();
                }
            }
            case STOPPED_BRIEFLY -> {
                process.signal("STOP");
                LockSupport.parkNanos(random.nextInt(LONGEST_PAUSE_NANOS));
                process.signal("CONT");
            }
            case STOPPED_FOR_LONG -> {
                process.signal("STOP");
                awaitAllShares();
                process.signal("CONT");
            }
        }
    }

    private void awaitHolds() {
        int before = history.count();
        Await.until("more holds, with seed " + seed, () -> history.count() >= before + HOLDS_OF_A_ROUND);
    }

    /** Waits until each lock was held with each share: what stopped and dead processes held is over, and no kind keeps another out. */
    private void awaitAllShares() {
        long now = System.nanoTime();
        for (String name : NAMES) {
            for (Share share : Set.copyOf(MIXED.shares())) {
                Await.until(
                        name + " is held with " + share + ", with seed " + seed,
                        () -> history.holds().stream()
                                .anyMatch(hold -> hold.name().equals(name)
                                        && hold.share().equals(share)
                                        && hold.from() - now > 0));
            }
        }
    }

    private void log(Map<String, Integer> struck) throws IOException {
        Map<String, Long> held = new TreeMap<>();
        Map<String, Long> longest = new TreeMap<>();
        for (Hold hold : history.holds()) {
            held.merge(hold.share().toString(), 1L, Long::sum);
            long wait = TimeUnit.NANOSECONDS.toMillis(hold.from() - hold.asked());
            longest.merge(hold.share().toString(), wait, Math::max);
        }
        String line =
                "seed " + seed + ": " + struck + ", holds by share " + held + ", longest waits in ms " + longest + "\n";
        Files.writeString(
                Path.of("target", getClass().getSimpleName() + ".log"),
                line,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    // A dead holder beside living ones

    @Test
    @Tag("long")
    void writer_whenAReaderBesideLivingOnesIsKilled_hasTheLockOnceItsLeaseHasEnded() throws Exception {
        ContenderProcess dead = startKeeping(Share.shared());
        try (Locks locks = LocksOpener.open(with("10m", "1m", settingsOfTheLiving()));
                Claims claims = history.claimsOf("living")) {
            Lease reader = locks.named("kept").shared().acquire(Await.HANG);
            dead.kill();
            CompletableFuture<Lease> writer = locks.named("kept").acquireAsync(Await.HANG);

            reader.ensureHeld();
            assertThat(writer).isNotDone();
            reader.release();
            try (Lease written = Await.result(writer)) {
                claims.hold(written);
            }
        }
        history.verify(2);
    }

    @Test
    @Tag("long")
    void permits_whenTheirHolderIsKilled_areFreeOnceItsLeaseHasEndedAndOthersStayTaken() throws Exception {
        Share two = new Share(2, 3);
        ContenderProcess dead = startKeeping(two);
        try (Locks locks = LocksOpener.open(with("10m", "1m", settingsOfTheLiving()));
                Claims claims = history.claimsOf("living")) {
            Lease beside = locks.semaphore("kept", 3).permits(1).acquire(Await.HANG);
            dead.kill();
            claims.ask();
            try (Lease next = locks.semaphore("kept", 3).permits(2).acquire(Await.HANG)) {
                claims.hold(next, two, 0);

                beside.ensureHeld();
                assertThat(locks.semaphore("kept", 3).permits(1).tryAcquire()).isEmpty();
            }
            beside.ensureHeld();
        }
        history.verify(2);
    }

    /** A process that has this share of the lock, and keeps it. Its claims show that nothing incompatible lasts beside it. */
    private ContenderProcess startKeeping(Share share) throws IOException {
        Contention kept = Contention.kept("kept", share);
        Properties settings = with(leaseOfTheDead(), "500ms", settingsOfTheLiving());
        ContenderProcess process = ContenderProcess.start("dead", directory, history, settings, kept, 1, seed);
        processes.add(process);
        process.awaitReady();
        Await.until("the process has it", () -> !history.holdsOf("dead").isEmpty());
        return process;
    }
}
