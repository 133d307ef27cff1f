package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.server.MariaDbDatabase;
import dev.holdfast.lock.jdbc.server.MariaDbServer;
import dev.holdfast.lock.jdbc.server.RowDatabase;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.tck.faults.Direction;
import dev.holdfast.lock.tck.faults.FaultyProxy;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.OwnThread;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Errors that only MariaDB and MySQL have. */
@Timeout(300)
class MariaDbFaultsTest {

    private static MariaDbServer server;
    private static RowDatabase database;

    @BeforeAll
    static void start() {
        server = MariaDbServer.own();
        database = MariaDbDatabase.of(server);
        Opened.store(database.settings()).close(); // creates the tables
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void acquire_whenReplyToCommitIsLost_isGrantedOnceByRepetition() throws SQLException {
        AtomicBoolean isArmed = new AtomicBoolean();
        FaultyProxy[] made = new FaultyProxy[1];
        made[0] = new FaultyProxy(database.address(), () -> (direction, bytes, length) -> {
            if (direction == Direction.TO_SERVER
                    && isArmed.get()
                    && new String(bytes, 0, length, StandardCharsets.ISO_8859_1).contains("COMMIT")) {
                made[0].hold(Direction.TO_CLIENT);
            }
        });
        try (FaultyProxy proxy = made[0];
                LockStore store = Opened.store(database.settings("lock.jdbc.url", database.urlThrough(proxy.port())))) {
            AcquisitionId id = id();
            isArmed.set(true);
            assertThatThrownBy(() -> store.execute(List.of(acquire("in doubt", id)), Duration.ofSeconds(1)))
                    .isInstanceOf(LockUnavailableException.class);
            isArmed.set(false);
            proxy.pass();
            long token = database.number("SELECT token FROM holdfast_lock WHERE name = 'in doubt'");
            assertThat(granted(store, acquire("in doubt", id)).token()).isEqualTo(token);
        }
    }

    /** The error ends the statement only: without a rollback the first row stays locked. */
    @Test
    void batch_whenARowStaysLocked_executesTheOthersAndLeavesNoLock() throws SQLException {
        database.execute("CREATE USER blocked IDENTIFIED BY 'pw'");
        database.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON *.* TO blocked");
        Map<String, String> settings = database.settings(
                "lock.jdbc.username", "blocked", "lock.jdbc.password", "pw", "lock.call-timeout", "3s");
        try (LockStore store = Opened.store(settings);
                Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            for (String name : List.of("row a", "row b")) {
                AcquisitionId id = id();
                granted(store, acquire(name, id));
                ask(store, release(name, id));
            }
            stranger.setAutoCommit(false);
            statement.execute("SELECT * FROM holdfast_lock WHERE namespace = 'test' AND name = 'row b' FOR UPDATE");
            List<LockReply> replies =
                    store.execute(List.of(acquire("row a", id()), acquire("row b", id())), Duration.ofSeconds(30));
            assertThat(replies.get(0)).isInstanceOf(LockReply.Granted.class);
            assertThat(replies.get(1)).isInstanceOf(LockReply.Unavailable.class);
            statement.execute(
                    "SELECT * FROM holdfast_lock WHERE namespace = 'test' AND name = 'row a' FOR UPDATE NOWAIT");
            Await.until("no transaction is left open: the next one on its connection would commit it", () -> {
                database.execute("DO SLEEP(0.2)"); // a query within 0.1 s of the last one gets the same list again
                return database.number("SELECT count(*) FROM information_schema.innodb_trx t JOIN"
                                + " information_schema.processlist p ON p.id = t.trx_mysql_thread_id WHERE p.user"
                                + " = 'blocked'")
                        == 0;
            });
            stranger.rollback();
            granted(store, acquire("row b", id()));
        }
    }

    @Test
    void batch_whenDeadlocked_isExecutedOnceMore() throws Exception {
        try (LockStore store = Opened.store(database.settings());
                Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            for (String name : List.of("dead a", "dead b")) {
                AcquisitionId id = id();
                granted(store, acquire(name, id));
                ask(store, release(name, id));
            }
            long before = database.number("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'");
            stranger.setAutoCommit(false);
            // The server ends the transaction that has changed less.
            statement.execute("CREATE TEMPORARY TABLE heavy (n INT) ENGINE = InnoDB");
            statement.execute("INSERT INTO heavy SELECT seq FROM seq_1_to_1000");
            statement.execute("UPDATE holdfast_lock SET owner = 'x' WHERE namespace = 'test' AND name = 'dead b'");
            CompletableFuture<List<LockReply>> replies = CompletableFuture.supplyAsync(
                    () -> store.execute(
                            List.of(acquire("dead a", id()), acquire("dead b", id())), Duration.ofSeconds(60)),
                    OwnThread.EACH);
            Await.until(
                    "the batch asks for the second row, and has locked the first",
                    () -> database.number("SELECT count(*) FROM information_schema.processlist"
                                    + " WHERE id <> CONNECTION_ID() AND info LIKE '%dead b%'")
                            > 0);
            statement.execute("SELECT * FROM holdfast_lock WHERE namespace = 'test' AND name = 'dead a' FOR UPDATE");
            stranger.rollback();
            assertThat(replies.get()).hasSize(2).allMatch(LockReply.Granted.class::isInstance);
            assertThat(database.number("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'"))
                    .isGreaterThan(before);
        }
    }

    /** Gaps would be locked under the default isolation, and rows in any order without the order of the names. */
    @Test
    void batches_ofManyThreadsOnNewAndOldNames_neverDeadlock() throws Exception {
        long before = database.number("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'");
        long seed = System.nanoTime();
        try (LockStore store = Opened.store(database.settings())) {
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                Random random = new Random(seed + thread);
                threads.add(CompletableFuture.runAsync(
                        () -> {
                            for (int round = 0; round < 40; round++) {
                                List<LockCommand> commands = new ArrayList<>();
                                for (int command = 0; command < 4; command++) {
                                    commands.add(queue("race " + random.nextInt(20), id()));
                                    commands.add(
                                            release("race " + random.nextInt(20), id(), Duration.ZERO, Commands.LEASE));
                                }
                                store.execute(commands, Commands.CALL);
                            }
                        },
                        OwnThread.EACH));
            }
            CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).get();
        }
        assertThat(database.number("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'"))
                .as("deadlocks, with seed " + seed)
                .isEqualTo(before);
    }

    @Test
    void batch_ofHundredsOfLongNames_fitsASmallPacket() throws SQLException {
        database.execute("SET GLOBAL max_allowed_packet = 16384");
        try (LockStore store = Opened.store(database.settings())) {
            List<LockCommand> commands = new ArrayList<>();
            List<LockCommand> releases = new ArrayList<>(); // each is a write that needs no query before
            for (int each = 0; each < 200; each++) {
                String name = String.format("%04d", each) + "\uD83D\uDD12".repeat(251);
                AcquisitionId id = id();
                commands.add(acquire(name, id));
                releases.add(release(name, id));
            }
            assertThat(store.execute(commands, Commands.CALL)).allMatch(LockReply.Granted.class::isInstance);
            assertThat(store.execute(releases, Commands.CALL)).containsOnly(new LockReply.Released(true));
        } finally {
            database.execute("SET GLOBAL max_allowed_packet = DEFAULT");
        }
    }

    @Test
    void acquire_whenThePoolIsExhausted_namesThePool() throws Exception {
        try (LockStore store = Opened.store(database.settings("lock.jdbc.pool-size", "2"));
                Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            AcquisitionId id = id();
            granted(store, acquire("slow", id));
            stranger.setAutoCommit(false);
            statement.execute("SELECT * FROM holdfast_lock WHERE namespace = 'test' AND name = 'slow' FOR UPDATE");
            List<CompletableFuture<LockReply>> slow = new ArrayList<>();
            for (int call = 0; call < 2; call++) {
                slow.add(CompletableFuture.supplyAsync(() -> ask(store, acquire("slow", id)), OwnThread.EACH));
            }
            Await.until(
                    "both connections wait for the row",
                    () -> database.number(
                                    "SELECT count(*) FROM information_schema.processlist WHERE id <> CONNECTION_ID()"
                                            + " AND info LIKE '%slow%'")
                            == 2);
            assertThatThrownBy(() -> store.execute(List.of(acquire("quick", id())), Duration.ofMillis(300)))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("the pool of connections is exhausted: all 2 are in use")
                    .hasMessageContaining("lock.jdbc.pool-size");
            stranger.rollback();
            for (CompletableFuture<LockReply> call : slow) {
                assertThat(call.get()).isInstanceOf(LockReply.Granted.class);
            }
        }
    }
}
