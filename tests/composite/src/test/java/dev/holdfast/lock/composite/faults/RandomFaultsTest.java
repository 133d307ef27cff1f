package dev.holdfast.lock.composite.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.History;
import dev.holdfast.lock.testing.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several processes contend for a few locks, one of them with shares, while whatever can go wrong does, in an order by chance: at no
 * time do holders of a lock have incompatible shares, tokens rise, and after each fault all goes on by itself. {@code -Dlock.test.seed} has the faults come in the order of an
 * earlier run; {@code target/random-faults.log} tells what came when.
 */
@Tag("first-build")
@Order(1)
class RandomFaultsTest {

    private static final int FAULTS = 2 * Integer.getInteger("lock.test.scale", 1);
    private static final List<String> LOCKS = List.of("red", "green", ContendingProcess.MIXED);
    private static final int WORKERS = 3;
    private static final Path LOG = Path.of("target", "random-faults.log");

    private final long seed = Seeds.any();
    private final Random random = new Random(seed);
    private final List<Worker> workers = new ArrayList<>();
    private Site site;
    private History history;
    private int started;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    /** Faults of processes and of the database. */
    private enum OtherFault {
        WORKER_KILLED,
        WORKER_STOPPED,
        DATABASE_RESTARTED,
        DATABASE_AWAY
    }

    @BeforeEach
    void start() throws Exception {
        Files.deleteIfExists(LOG);
        log("seed " + seed);
        history = new History(directory);
        site = new Site();
        try (Connection connection = site.database().connect()) {
            for (String name : LOCKS) {
                Fence.add(connection, name);
            }
        }
        for (int worker = 0; worker < WORKERS; worker++) {
            workers.add(newWorker(worker));
        }
        for (Worker worker : workers) {
            worker.awaitSaid("ready");
        }
    }

    /** The last of them is one of the few. */
    private Worker newWorker(int place) throws IOException {
        List<String> arguments = new ArrayList<>(site.database().coordinates());
        arguments.add(Long.toString(random.nextLong()));
        arguments.addAll(LOCKS);
        return Worker.start(
                ContendingProcess.class,
                directory,
                "worker-" + ++started,
                site.configuration(place < WORKERS - 1),
                history,
                arguments);
    }

    @AfterEach
    void stop() {
        workers.forEach(Worker::close);
        if (site != null) {
            site.close();
        }
    }

    @Test
    void locks_underRandomFaults_haveOneHolderAndAreGrantedAgain() throws Exception {
        List<RedisFault> redisFaults = new ArrayList<>();
        List<OtherFault> otherFaults = new ArrayList<>();
        for (int fault = 0; fault < FAULTS; fault++) {
            site.awaitPrimary();
            awaitGrants("while Redis grants");
            refill(redisFaults, RedisFault.values());
            strike(redisFaults.remove(0));
            for (int others = random.nextInt(3); others > 0; others--) {
                pause(3_000);
                refill(otherFaults, OtherFault.values());
                strike(otherFaults.remove(0));
            }
        }
        for (Worker worker : workers) {
            worker.tell("end");
        }
        for (Worker worker : workers) {
            assertThat(worker.awaitEnd()).isEmpty();
        }
        assertThat(history.violations()).as("seed %d", seed).isEmpty();
        history.verify(LOCKS.size() * FAULTS);
        log(history.holds().size() + " holds");
    }

    private <T> void refill(List<T> faults, T[] all) {
        if (faults.isEmpty()) {
            faults.addAll(Arrays.asList(all));
            Collections.shuffle(faults, random);
        }
    }

    private void strike(RedisFault fault) throws Exception {
        log(fault.name());
        fault.strike(site, this::pause, this::awaitGrants);
        awaitGrants("after " + fault);
    }

    private void strike(OtherFault fault) throws Exception {
        log(fault.name());
        int which = random.nextInt(WORKERS);
        switch (fault) {
            case WORKER_KILLED -> {
                workers.get(which).close();
                Worker another = newWorker(which);
                workers.set(which, another);
                another.awaitSaid("ready");
            }
            case WORKER_STOPPED -> {
                workers.get(which).signal("STOP");
                pause(8_000);
                awaitGrants("to the others");
                workers.get(which).signal("CONT");
            }
            case DATABASE_RESTARTED -> {
                site.database().server().kill();
                site.database().server().start();
            }
            case DATABASE_AWAY -> {
                site.database().server().kill();
                pause(2_000);
                pause(2_000);
                site.database().server().start();
            }
        }
        awaitGrants("after " + fault);
    }

    /** For how long something stays as it is: this long at most. */
    private void pause(int mostMillis) {
        LockSupport.parkNanos(Duration.ofMillis(random.nextInt(mostMillis)).toNanos());
    }

    /** Waits until each lock is granted anew, and looks whether all is well so far. */
    private void awaitGrants(String when) throws IOException {
        long now = System.nanoTime();
        for (String name : LOCKS) {
            Await.until(
                    name + " is granted " + when + ", seed " + seed,
                    () -> history.holds().stream().anyMatch(hold -> hold.name().equals(name) && hold.from() - now > 0));
        }
        assertThat(history.violations()).as("seed %d", seed).isEmpty();
        log("all granted " + when);
    }

    private static void log(String what) throws IOException {
        Files.writeString(
                LOG,
                Instant.now() + " " + System.nanoTime() + " " + what + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }
}
