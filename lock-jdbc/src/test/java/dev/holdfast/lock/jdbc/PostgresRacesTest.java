package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.PostgresClock;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Concurrent clients on PostgreSQL: one winner, rising tokens, no deadlock, no stranded waiter. */
@Tag("first-build")
class PostgresRacesTest extends ManyThreads {

    @Test
    void acquire_ofANewNameByMany_hasOneWinnerAndNoErrorInTheLog() throws Exception {
        int racers = 16;
        int names = 20;
        CyclicBarrier start = new CyclicBarrier(racers);
        try (LockStore store = Opened.store(database.settings("lock.jdbc.pool-size", "16"))) {
            List<Callable<List<LockReply>>> all = new ArrayList<>();
            for (int racer = 0; racer < racers; racer++) {
                all.add(() -> {
                    List<LockReply> replies = new ArrayList<>();
                    for (int name = 0; name < names; name++) {
                        start.await();
                        replies.add(ask(store, acquire("race " + name, id())));
                    }
                    return replies;
                });
            }
            List<List<LockReply>> answers = results(threads.invokeAll(all));
            for (int name = 0; name < names; name++) {
                int at = name;
                assertThat(answers.stream().map(each -> each.get(at)))
                        .filteredOn(LockReply.Granted.class::isInstance)
                        .as("grants of race " + name)
                        .hasSize(1);
            }
            assertThat(answers.stream().flatMap(List::stream))
                    .allMatch(each -> each instanceof LockReply.Granted || each instanceof LockReply.Busy);
        }
        assertThat(database.log()).doesNotContain("ERROR", "FATAL");
    }

    @Test
    void tokens_whilePrunersAndAcquirersRace_rise() throws Exception {
        int workers = 6;
        int rounds = 100;
        try (LockStore store = Opened.store(database.settings())) {
            List<Callable<Void>> all = new ArrayList<>();
            AtomicBoolean done = new AtomicBoolean();
            AtomicInteger removed = new AtomicInteger();
            Future<Void> pruner = threads.submit(() -> {
                try (Connection connection = database.connect();
                        Statement statement = connection.createStatement()) {
                    while (!Thread.currentThread().isInterrupted() && !done.get()) {
                        try (var row = statement.executeQuery("SELECT removed FROM holdfast_prune(0, 0, 500)")) {
                            row.next();
                            removed.addAndGet(row.getInt(1));
                        }
                    }
                }
                return null;
            });
            // Tokens far ahead of the clock, so that only row and floor can make them rise.
            AcquisitionId first = id();
            long[] last = {
                granted(store, Commands.acquireAbove("pruned", first, 5_000_000_000_000_000L))
                        .token()
            };
            ask(store, release("pruned", first));
            long start = System.nanoTime();
            for (int worker = 0; worker < workers; worker++) {
                all.add(() -> {
                    // On a slow machine the pruner may come late: without it there is no race.
                    for (int round = 0; round < rounds || (removed.get() == 0 && !isHanging(start)); round++) {
                        AcquisitionId id = id();
                        if (ask(store, acquire("pruned", id)) instanceof LockReply.Granted grant) {
                            assertThat(grant.token()).isGreaterThan(last[0]); // only the holder reads and writes it
                            last[0] = grant.token();
                            ask(store, release("pruned", id));
                        }
                    }
                    return null;
                });
            }
            results(threads.invokeAll(all));
            done.set(true);
            pruner.get();
            assertThat(removed.get()).as("rows that were removed meanwhile").isPositive();
            assertThat(last[0]).isGreaterThan(5_000_000_000_000_001L);
        }
    }

    private static boolean isHanging(long start) {
        return System.nanoTime() - start > Await.HANG.toNanos();
    }

    @Test
    void batches_ofTheSameNamesInAnyOrder_neverDeadlock() throws Exception {
        try (LockStore store = Opened.store(database.settings())) {
            List<Callable<Void>> all = new ArrayList<>();
            for (int worker = 0; worker < 8; worker++) {
                boolean forth = worker % 2 == 0;
                all.add(() -> {
                    for (int round = 0; round < 15; round++) {
                        List<LockCommand> commands = new ArrayList<>();
                        for (int at = 0; at < 20; at++) {
                            int name = forth ? at : 19 - at;
                            commands.add(acquire("batch " + name, id(), Duration.ofMillis(1)));
                        }
                        store.execute(commands, CALL);
                    }
                    return null;
                });
            }
            results(threads.invokeAll(all));
        }
        assertThat(database.log()).doesNotContain("deadlock");
    }

    @ParameterizedTest
    @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
    void batches_ofOldAndNewNamesInAnyOrder_neverDeadlock(String isolation) throws Exception {
        database.execute(
                "ALTER DATABASE " + database.name() + " SET default_transaction_isolation = '" + isolation + "'");
        List<LockReply> replies = Collections.synchronizedList(new ArrayList<>());
        try (LockStore store = Opened.store(database.settings())) {
            List<Callable<Void>> all = new ArrayList<>();
            for (int worker = 0; worker < 6; worker++) {
                all.add(() -> {
                    for (int round = 0; round < 25; round++) {
                        List<LockCommand> commands = new ArrayList<>();
                        for (int at = 0; at < 16; at++) {
                            commands.add(anyCommand("batch " + (3 * round + at)));
                        }
                        Collections.shuffle(commands);
                        int size = ThreadLocalRandom.current().nextInt(1, 16);
                        replies.addAll(store.execute(commands.subList(0, size), CALL));
                    }
                    return null;
                });
            }
            results(threads.invokeAll(all));
        }
        assertThat(replies).doesNotHaveAnyElementsOfTypes(LockReply.Unavailable.class);
        assertThat(database.log()).doesNotContain("deadlock");
    }

    private static LockCommand anyCommand(String name) {
        return switch (ThreadLocalRandom.current().nextInt(4)) {
            case 0 -> release(name, id(), Duration.ZERO, LEASE);
            case 1 -> release(name, id());
            default -> acquire(name, id(), Duration.ofMillis(1));
        };
    }

    @Test
    void waiters_whileOthersComeAndLeave_areNeverStranded() throws Exception {
        try (LockStore store = Opened.store(database.settings())) {
            new PostgresClock(database.server(), database.url()).close(); // stands still from now on
            new ComingAndLeavingWaiters(store).comeAndLeave(60);
        }
        assertThat(database.value("SELECT count(*) FROM holdfast_waiter")).isEqualTo("0");
        assertThat(database.value("SELECT waiter_count || ' ' || state FROM holdfast_lock WHERE name = '"
                        + ComingAndLeavingWaiters.LOCK + "'"))
                .isEqualTo("0 free");
    }

    private static <T> List<T> results(List<Future<T>> futures) throws Exception {
        List<T> results = new ArrayList<>();
        for (Future<T> future : futures) {
            results.add(future.get());
        }
        return results;
    }
}
