package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.InTime;
import dev.holdfast.lock.testing.OwnThread;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Batches as MariaDB and MySQL execute them: rows that stay locked, deadlocks, small packets. */
@Tag("second-build")
@Timeout(300)
class MariaDbBatchesTest {

    private static MariaDbServer server;
    private static RowDatabase database;
    private static String deadlocks;

    @BeforeAll
    static void start() {
        server = MariaDbServer.own();
        database = MariaDbDatabase.of(server);
        deadlocks = server.isMariaDb()
                ? "SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'"
                : "SELECT count FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'";
        Opened.store(database.settings()).close(); // creates the tables
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** The error ends the statement only: without a rollback the first row stays locked. */
    @Test
    void batch_whenARowStaysLocked_executesTheOthersAndLeavesNoLock() throws Exception {
        server.makeUser("blocked", "pw");
        database.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON *.* TO blocked");
        Map<String, String> settings = database.settings(
                "lock.jdbc.username", "blocked", "lock.jdbc.password", "pw", "lock.call-timeout", "3s");
        try (LockStore store = Opened.store(settings)) {
            LockedRow.makeRows(store, "row a", "row b");
            try (LockedRow stranger = new LockedRow(database, "row b")) {
                assertThat(stranger).isNotNull();
                LockedRow.expectOthersGranted(store, "row a", "row b");
                assertThat(LockedRow.isLocked(database, "row a")).isFalse();
                Await.until("no transaction is left open: the next one on its connection would commit it", () -> {
                    database.execute("DO SLEEP(0.2)"); // a query within 0.1 s of the last one gets the same list again
                    return database.number("SELECT count(*) FROM information_schema.innodb_trx t JOIN"
                                    + " information_schema.processlist p ON p.id = t.trx_mysql_thread_id WHERE p.user"
                                    + " = 'blocked'")
                            == 0;
                });
            }
            granted(store, acquire("row b", id()));
        }
    }

    /** Rows for which other transactions queue are never free: a batch that did not queue, too, would lose the leases. */
    @Test
    void renewals_whileTransactionsQueueForTheirRows_areAllGranted() throws Exception {
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId id = id();
            List<LockCommand> renewals = new ArrayList<>();
            for (String name : List.of("hot a", "hot b")) {
                granted(store, acquire(name, id));
                renewals.add(renew(name, id, Commands.LEASE));
            }
            LockedRow.makeRows(store, "other a", "other b");
            Duration call = Duration.ofSeconds(15);
            try (QueuedRow a = new QueuedRow("hot a", "other a");
                    QueuedRow b = new QueuedRow("hot b", "other b")) {
                InTime.check(call, () -> {
                    CompletableFuture<List<LockReply>> replies =
                            CompletableFuture.supplyAsync(() -> store.execute(renewals, call), OwnThread.EACH);
                    while (!replies.isDone()) {
                        a.handOver();
                        b.handOver();
                    }
                    assertThat(replies.get()).hasSize(2).allMatch(LockReply.Granted.class::isInstance);
                    return null;
                });
            }
        }
    }

    /** Two transactions that lock a row in turn, so that it is never free. */
    private static final class QueuedRow implements AutoCloseable {

        private final String row;
        private LockedRow holder;
        private LockedRow next;

        /** @param other a row that is there, of no meaning */
        QueuedRow(String row, String other) throws SQLException {
            this.row = row;
            holder = new LockedRow(database, row);
            next = new LockedRow(database, other);
        }

        void handOver() throws Exception {
            LockedRow waiting = next;
            FutureTask<LockedRow> wait = new FutureTask<>(() -> {
                waiting.lock(row);
                return waiting;
            });
            OwnThread.EACH.execute(wait);
            awaitLockWait();
            holder.commit();
            next = holder;
            holder = wait.get();
        }

        @Override
        public void close() throws SQLException {
            try (LockedRow first = holder;
                    LockedRow second = next) {
                first.commit();
                second.commit();
            }
        }
    }

    /** With another program, which creates rows in another order. */
    @Test
    void batch_whenDeadlocked_isExecutedOnceMore() throws Exception {
        // With the default the server would soon end the wait by itself.
        try (LockStore store = Opened.store(database.settings("lock.lease", "180s", "lock.call-timeout", "60s"))) {
            LockedRow.makeRows(store, "any");
            long before = database.number(deadlocks);
            try (LockedRow stranger = new LockedRow(database, "any")) {
                // The server ends the transaction that has changed less.
                stranger.execute("CREATE TEMPORARY TABLE heavy (n INT) ENGINE = InnoDB");
                stranger.execute("INSERT INTO heavy WITH RECURSIVE numbers AS (SELECT 1 AS n UNION ALL"
                        + " SELECT n + 1 FROM numbers WHERE n < 900) SELECT n FROM numbers");
                stranger.execute(insert("dead b"));
                List<LockCommand> batch = List.of(acquire("dead a", id()), acquire("dead b", id()));
                CompletableFuture<List<LockReply>> replies =
                        CompletableFuture.supplyAsync(() -> store.execute(batch, Commands.CALL), OwnThread.EACH);
                awaitLockWait();
                stranger.execute(insert("dead a"));
                stranger.commit();
                assertThat(replies.get()).hasSize(2).allMatch(LockReply.Granted.class::isInstance);
            }
            assertThat(database.number(deadlocks)).isGreaterThan(before);
        }
    }

    private static void awaitLockWait() {
        Await.until("a transaction waits for a row", () -> {
            database.execute("DO SLEEP(0.2)"); // a query within 0.1 s of the last one gets the same list again
            return database.number("SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'")
                    > 0;
        });
    }

    private static String insert(String lock) {
        return "INSERT INTO holdfast_lock (namespace, name, token, owner, granted_at, expires_at, state) VALUES ("
                + LockedRow.key(lock) + ", 0, '', 0, 0, 'free')";
    }

    /** Gaps would be locked under the default isolation, and rows in any order without the order of the names. */
    @Test
    void batches_ofManyThreadsOnNewAndOldNames_neverDeadlock() throws Exception {
        long before = database.number(deadlocks);
        long seed = System.nanoTime();
        try (LockStore store = Opened.store(database.settings())) {
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                Random random = new Random(seed + thread);
                threads.add(CompletableFuture.runAsync(() -> executeBatches(store, random), OwnThread.EACH));
            }
            CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get();
        }
        assertThat(database.number(deadlocks))
                .as("deadlocks, with seed " + seed)
                .isEqualTo(before);
    }

    private static void executeBatches(LockStore store, Random random) {
        for (int round = 0; round < 40; round++) {
            List<LockCommand> commands = new ArrayList<>();
            for (int command = 0; command < 4; command++) {
                commands.add(queue("race " + random.nextInt(20), id()));
                commands.add(release("race " + random.nextInt(20), id(), Duration.ZERO, Commands.LEASE));
            }
            store.execute(commands, Commands.CALL);
        }
    }

    @Test
    void batch_ofHundredsOfLongNames_fitsASmallPacket() throws SQLException {
        database.execute("SET GLOBAL max_allowed_packet = 1048576");
        try (LockStore store = Opened.store(database.settings())) {
            List<LockCommand> commands = new ArrayList<>();
            List<LockCommand> releases = new ArrayList<>(); // each is a write that needs no query before
            for (int each = 0; each < 200; each++) {
                String name = String.format("%04d", each) + "\uD83D\uDD12".repeat(251);
                AcquisitionId id = id();
                commands.add(acquire(name, id, Duration.ofHours(1)));
                releases.add(release(name, id));
            }
            assertThat(store.execute(commands, Await.HANG)).allMatch(LockReply.Granted.class::isInstance);
            assertThat(store.execute(releases, Await.HANG)).containsOnly(new LockReply.Released(true));
        } finally {
            database.execute("SET GLOBAL max_allowed_packet = DEFAULT");
        }
    }
}
