package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockInfo;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.support.QueueTimes;
import dev.holdfast.lock.testing.OwnThread;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Listing many locks, page by page, under load. */
@Tag("first-build")
class LockListingTest {

    private static final int NAMES = 600;

    @TempDir
    private Path directory;

    @Test
    void list_onPostgresUnderLoad_showsHundredsOfHoldersAndWaiters() throws Exception {
        Postgres database = Postgres.withTables();
        try (LockStore store = Opened.store(database.settings());
                LockStore busy = Opened.store(database.settings())) {
            areShownBesidePairsThatGoOn(store, busy);
        }
    }

    @Test
    void list_onSqliteUnderLoad_showsHundredsOfHoldersAndWaiters() throws Exception {
        Path file = directory.resolve("locks");
        try (LockStore store = Opened.sqlite(file);
                LockStore busy = Opened.sqlite(file)) {
            areShownBesidePairsThatGoOn(store, busy);
        }
    }

    private static void areShownBesidePairsThatGoOn(LockStore store, LockStore busy) throws Exception {
        List<String> held = names("held");
        List<String> waitedFor = names("waited for");
        all(store, held, name -> acquire(name, id(), Duration.ofHours(1)), LockReply.Granted.class);
        all(store, waitedFor, name -> acquire(name, id(), Duration.ofHours(1)), LockReply.Granted.class);
        AcquisitionId waiter = id();

        AtomicInteger pairs = new AtomicInteger();
        AtomicBoolean enough = new AtomicBoolean();
        CompletableFuture<Void> others = CompletableFuture.runAsync(
                () -> {
                    for (int at = 0; !enough.get(); at++) {
                        LockCommand.Acquire command = acquire("job " + at % 7, id());
                        granted(busy, command);
                        busy.execute(List.of(release("job " + at % 7, command.id())), CALL);
                        pairs.incrementAndGet();
                    }
                },
                OwnThread.EACH);
        try {
            for (int round = 0; round < 3; round++) {
                all(store, waitedFor, name -> queue(name, waiter), LockReply.Queued.class);
                long queued = System.nanoTime();
                int before = pairs.get();
                try (Stream<LockInfo> shown = store.list("", CALL)) {
                    List<LockInfo> locks = new ArrayList<>();
                    shown.forEach(lock -> {
                        locks.add(lock);
                        if (locks.size() == NAMES) { // somewhere on the second page
                            awaitMoreThan(before + 3, pairs, others);
                        }
                    });
                    if (System.nanoTime() - queued >= QueueTimes.WAITER_TTL.toNanos()) {
                        round--; // the machine stood still: a silent waiter is not shown any more
                        continue;
                    }
                    assertThat(names(locks)).isSorted().doesNotHaveDuplicates();
                    assertThat(names(locks).stream().filter(held::contains)).hasSize(NAMES);
                    assertThat(locks.stream()
                                    .filter(lock ->
                                            waitedFor.contains(lock.name().value())))
                            .hasSize(NAMES)
                            .allSatisfy(lock -> assertThat(lock.waitingOwners()).containsExactly("a test that waits"));
                }
            }
        } finally {
            enough.set(true);
            others.join();
        }
    }

    private static void awaitMoreThan(int least, AtomicInteger pairs, CompletableFuture<Void> others) {
        while (pairs.get() <= least) {
            assertThat(others).as("the threads that use the locks meanwhile").isNotCompletedExceptionally();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private static void all(
            LockStore store,
            List<String> names,
            Function<String, LockCommand> step,
            Class<? extends LockReply> answer) {
        assertThat(store.execute(names.stream().map(step).toList(), CALL)).hasOnlyElementsOfType(answer);
    }

    private static List<String> names(String kind) {
        return IntStream.range(0, NAMES)
                .mapToObj(number -> String.format("%s %04d", kind, number))
                .toList();
    }

    private static List<String> names(List<LockInfo> locks) {
        return locks.stream().map(lock -> lock.name().value()).toList();
    }

    @Test
    void list_whenRowsAndTablesAreLocked_doesNotWait() throws SQLException {
        Postgres database = Postgres.withTables();
        try (LockStore store = Opened.store(database.settings());
                Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            granted(store, acquire("job", id()));
            stranger.setAutoCommit(false);
            statement.execute("LOCK TABLE holdfast_lock, holdfast_waiter IN EXCLUSIVE MODE");
            statement.execute("UPDATE holdfast_lock SET owner = 'a stranger'");

            assertThat(store.list("job", CALL))
                    .singleElement()
                    .satisfies(lock ->
                            assertThat(lock.holder().orElseThrow().owner()).isEqualTo("a test"));
            stranger.rollback();
        }
    }

    @Test
    void list_whenServerIsUnreachable_isUnavailable() {
        Postgres database = Postgres.withTables();
        try (PostgresProxy proxy = new PostgresProxy(database.server());
                LockStore store = Opened.store(database.settings("lock.jdbc.url", proxy.url(database.url())))) {
            granted(store, acquire("job", id()));
            proxy.refuse();
            assertThatThrownBy(() -> store.list("", Duration.ofSeconds(1)))
                    .isInstanceOf(LockUnavailableException.class);
        }
    }

    @Test
    void list_whenServerReportsAnError_passesItOn() throws SQLException {
        Postgres database = Postgres.withTables();
        try (LockStore store = Opened.store(database.settings())) {
            database.execute("ALTER TABLE holdfast_lock RENAME TO mislaid");
            assertThatThrownBy(() -> store.list("", CALL))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("holdfast_lock\" does not exist");
            assertThatThrownBy(() -> store.execute(List.of(acquire("job", id())), CALL))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("holdfast_lock\" does not exist");
            database.execute("ALTER TABLE mislaid RENAME TO holdfast_lock");
            granted(store, acquire("job", id()));
        }
    }

    @Test
    void list_whenARowIsNotHoldfasts_hidesNoOther() throws SQLException {
        Postgres database = Postgres.withTables();
        try (LockStore store = Opened.store(database.settings())) {
            granted(store, acquire("job", id()));
            database.execute(
                    "INSERT INTO holdfast_lock (namespace, name, token, owner, granted_at, expires_at, state, waiter_count)"
                            + " VALUES ('test', 'by hand', 1, '', now(), 'infinity', 'held', 0)");
            assertThat(store.list("", CALL))
                    .extracting(lock -> lock.name().value())
                    .contains("job");
        }
    }

    @Test
    void list_withAPrefixThatNoNameHas_isEmpty() {
        Postgres database = Postgres.withTables();
        try (LockStore store = Opened.store(database.settings())) {
            granted(store, acquire("job", id()));
            for (String prefix : List.of("\0", "job\0", "\uD800", "x".repeat(300))) {
                assertThat(store.list(prefix, CALL)).isEmpty();
            }
        }
    }
}
