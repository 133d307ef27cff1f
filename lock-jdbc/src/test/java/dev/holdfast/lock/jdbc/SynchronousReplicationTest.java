package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Steps.CALL;
import static dev.holdfast.lock.jdbc.Steps.acquire;
import static dev.holdfast.lock.jdbc.Steps.ask;
import static dev.holdfast.lock.jdbc.Steps.granted;
import static dev.holdfast.lock.jdbc.Steps.id;
import static dev.holdfast.lock.jdbc.Steps.queue;
import static dev.holdfast.lock.jdbc.Steps.release;
import static dev.holdfast.lock.jdbc.Steps.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Answer;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Signal;
import dev.holdfast.lock.spi.Step;
import dev.holdfast.lock.spi.regime.AuthorityStore;
import dev.holdfast.lock.spi.regime.Transition;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A server whose commits wait for a standby that is away. */
@ResourceLock(PostgresServer.TO_CONFIGURE)
class SynchronousReplicationTest {

    private static final String WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

    private static PostgresServer server;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private Postgres database;

    @BeforeAll
    static void start() {
        server = PostgresServer.toConfigure();
        assumeTrue(server.canFail());
    }

    @BeforeEach
    void makeDatabase() throws SQLException {
        database = Postgres.withTables(server);
        database.execute("CREATE TABLE probe (one integer)");
    }

    @AfterEach
    void end() throws SQLException {
        letStandbyBe(false);
        threads.shutdownNow();
    }

    @Test
    void aGrantWhoseWaitWasCancelledIsUnconfirmedUntilTheStandbyHasIt() throws Exception {
        database.execute("ALTER DATABASE " + database.name()
                + " SET client_min_messages = error"); // no warning, said the operator
        try (LockStore store = Opened.store(database.settings())) {
            isUnconfirmedWhenCancelled(store, acquire("a", id()), Answer.Granted.class);
        }
    }

    @Test
    void soItIsOnTheApplicationsDataSource() throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.url());
        config.setUsername(server.username());
        config.setPassword(server.password());
        try (HikariDataSource source = new HikariDataSource(config);
                LockStore store = Opened.on(source, new Namespace("callers"))) {
            isUnconfirmedWhenCancelled(store, acquire("a", id()), Answer.Granted.class);
        }
    }

    @Test
    void aMinimumHoldWhoseWaitWasCancelledIsUnconfirmedUntilTheStandbyHasIt() throws Exception {
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId id = id();
            granted(store, acquire("a", id));
            isUnconfirmedWhenCancelled(
                    store, release("a", id, Duration.ofHours(1), Duration.ZERO), Answer.Released.class);
        }
    }

    private void isUnconfirmedWhenCancelled(LockStore store, Step step, Class<? extends Answer> confirmed)
            throws Exception {
        takeStandbyAway();
        Future<Answer> cancelled = waits(() -> ask(store, step));
        cancel();
        assertThatThrownBy(cancelled::get)
                .hasCauseInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("the wait for a synchronous standby was cancelled");

        Future<Answer> again = waits(() -> ask(store, step));
        assertThat(again).isNotDone();
        letStandbyBe(false);
        assertThat(again.get()).isInstanceOf(confirmed);
    }

    @Test
    void callsThatWaitDoNotUseUpTheConnectionsOfTheServer() throws Exception {
        try (LockStore store = Opened.store(database.settings())) {
            granted(store, acquire("before", id()));
            takeStandbyAway();
            List<Future<?>> callers = new ArrayList<>();
            for (int caller = 0; caller < 8; caller++) {
                String name = "caller " + caller + " ";
                callers.add(threads.submit(() -> {
                    for (int call = 0; call < 10; call++) {
                        List<Step> steps = List.of(acquire(name + call, id()));
                        assertThatThrownBy(() -> store.apply(steps, Duration.ofMillis(500)))
                                .isInstanceOf(LockUnavailableException.class);
                    }
                }));
            }
            for (Future<?> caller : callers) {
                caller.get();
            }
            // Not 80: 8 that had waited for a second, and what the 8 callers gave up within that second.
            assertThat(Integer.parseInt(database.value("SELECT count(*) " + WAITING)))
                    .isLessThan(40);

            letStandbyBe(false);
            Await.until("it grants again", () -> {
                try {
                    return ask(store, acquire("after", id())) instanceof Answer.Granted;
                } catch (LockUnavailableException e) {
                    return false; // a connection that a time-out broke
                }
            });
        }
    }

    @Test
    void noCallIsRefusedForStatementsThatHaveWaitedForLessThanItMayTake() throws Exception {
        try (LockStore others = Opened.store(database.settings("lock.jdbc.pool-size", "8"));
                LockStore store = Opened.store(database.settings())) {
            breakACall(store);
            takeStandbyAway();
            List<Future<Answer>> waiting = eightWait(others, 1);

            Future<Answer> own = threads.submit(() -> ask(store, acquire("own", id())));
            Await.until("it waits, too", () -> own.isDone() || waits().equals("9"));
            letStandbyBe(false);
            assertThat(own.get()).isInstanceOf(Answer.Granted.class);
            for (Future<Answer> each : waiting) {
                assertThat(each.get()).isInstanceOf(Answer.Granted.class);
            }
        }
    }

    @Test
    void aTrialThatIsConfirmedEndsTheRefusals() throws Exception {
        assumeTrue(System.getProperty("lock.test.servers", "embedded").equals("embedded")); // its processes are ours
        LockStore others = Opened.store(database.settings("lock.jdbc.pool-size", "8"));
        try (LockStore store = Opened.store(database.settings())) {
            breakACall(store);
            takeStandbyAway();
            List<Future<Answer>> waiting = eightWait(others, 2);
            // Frozen, they are not told that no standby is needed any more.
            String frozen = database.value("SELECT string_agg(pid::text, ' ') " + WAITING);
            signal("STOP", frozen);
            try {
                letStandbyBe(false);
                AtomicInteger granted = new AtomicInteger();
                // One in ten seconds would not do.
                Await.until("it grants one after the other", () -> {
                    try {
                        store.apply(List.of(acquire("own " + granted, id())), Duration.ofSeconds(2));
                        return granted.incrementAndGet() == 20;
                    } catch (LockUnavailableException e) {
                        return false; // refused, or the machine stood still
                    }
                });
                assertThat(waits()).isEqualTo("8");
            } finally {
                signal("CONT", frozen);
            }
            for (Future<Answer> each : waiting) {
                assertThat(each.get()).isInstanceOf(Answer.Granted.class);
            }
        } finally {
            others.close();
        }
    }

    /** The server ends its connection: to the client it may as well go on there, and wait for a standby. */
    private void breakACall(LockStore store) throws Exception {
        try (Connection blocking = database.connect();
                Statement statement = blocking.createStatement()) {
            blocking.setAutoCommit(false);
            statement.execute("LOCK TABLE holdfast_lock");
            Future<Answer> broken = threads.submit(() -> ask(store, acquire("broken", id())));
            Await.until(
                    "it waits for the table",
                    () -> database.value("SELECT bool_or(pg_terminate_backend(pid)) FROM pg_stat_activity"
                                    + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                            != null);
            assertThatThrownBy(broken::get).hasCauseInstanceOf(LockUnavailableException.class);
            blocking.rollback();
        }
    }

    /** Each for so many seconds already. */
    private List<Future<Answer>> eightWait(LockStore store, int seconds) {
        List<Future<Answer>> waiting = new ArrayList<>();
        for (int call = 0; call < 8; call++) {
            String name = "waits " + call;
            waiting.add(threads.submit(() -> ask(store, acquire(name, id()))));
        }
        Await.until(
                "they wait for the standby",
                () -> database.value("SELECT count(*) " + WAITING + " AND query_start < clock_timestamp() - interval '"
                                + seconds + " seconds'")
                        .equals("8"));
        return waiting;
    }

    private static void signal(String signal, String processes) throws Exception {
        List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
        command.addAll(List.of(processes.split(" ")));
        assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
    }

    /** One holds "a", the other waits for it, and hears; then the standby goes. */
    private void withoutStandbyAfterOneWaits(LockStore store, Heard heard, AcquisitionId holder, AcquisitionId waiter)
            throws Exception {
        store.signals(heard);
        heard.awaitAny();
        granted(store, acquire("a", holder));
        waiting(store, queue("a", waiter));
        takeStandbyAway();
    }

    private String waits() throws SQLException {
        return database.value("SELECT count(*) " + WAITING);
    }

    @Test
    void aReleaseWhoseBatchIsUnconfirmedIsToldAllTheSame() throws Exception {
        Heard heard = new Heard();
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            withoutStandbyAfterOneWaits(store, heard, holder, waiter);

            Future<?> batch = waits(() -> store.apply(List.of(release("a", holder), acquire("b", id())), CALL));
            cancel();
            assertThatThrownBy(batch::get).hasMessageContaining("cancelled");
            heard.awaitTurn("a", waiter);
        }
    }

    @Test
    void aChangeOfTheRegimeThatIsUnconfirmedIsToldAllTheSame() throws Exception {
        Heard heard = new Heard();
        try (AuthorityStore authority = Opened.authority("app", database.settings())) {
            authority.found(Duration.ofSeconds(10), 0, CALL);
            authority.signals(heard);
            heard.awaitAny();
            int before = heard.count();
            takeStandbyAway();

            Future<?> change = waits(() -> authority.change(new Transition.Prepare(1, "lineage"), CALL));
            cancel();
            assertThatThrownBy(change::get).hasMessageContaining("cancelled");
            heard.await(Signal.ANY, before);
        }
    }

    @Test
    void aBatchThatWaitsLetsOthersNotifyAndTellsItsSignalsAfterThat() throws Exception {
        Heard heard = new Heard();
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            withoutStandbyAfterOneWaits(store, heard, holder, waiter);

            Future<?> batch = waits(() -> store.apply(List.of(release("a", holder), acquire("b", id())), CALL));
            notifies();
            letStandbyBe(false);
            batch.get();
            heard.awaitTurn("a", waiter);
        }
    }

    @Test
    void aChangeOfTheRegimeThatWaitsLetsOthersNotifyAndIsToldAfterThat() throws Exception {
        Heard heard = new Heard();
        try (AuthorityStore authority = Opened.authority("app", database.settings())) {
            authority.found(Duration.ofSeconds(10), 0, CALL);
            authority.signals(heard);
            heard.awaitAny();
            int before = heard.count();
            takeStandbyAway();

            Future<Boolean> change = waits(() -> authority.change(new Transition.Prepare(1, "lineage"), CALL));
            notifies();
            letStandbyBe(false);
            assertThat(change.get()).isTrue();
            heard.await(Signal.ANY, before);
        }
    }

    private void notifies() throws SQLException {
        database.execute("SET synchronous_commit = off; SET lock_timeout = '30s'; NOTIFY of_the_application");
    }

    /** Under way, and waiting for the standby. */
    private <T> Future<T> waits(Callable<T> call) {
        Future<T> future = threads.submit(call);
        Await.until(
                "it waits for the standby",
                () -> future.isDone()
                        || database.value("SELECT count(*) " + WAITING).equals("1"));
        return future;
    }

    private void cancel() throws SQLException {
        assertThat(database.value("SELECT bool_and(pg_cancel_backend(pid)) " + WAITING))
                .isEqualTo("t");
    }

    /** From now on commits wait. */
    private void takeStandbyAway() throws Exception {
        letStandbyBe(true);
        Future<?> commit;
        do {
            commit = waits(() -> {
                database.execute("INSERT INTO probe VALUES (1)");
                return null;
            });
        } while (commit.isDone()); // the server has not read its configuration yet
        cancel();
        commit.get();
    }

    private void letStandbyBe(boolean needed) throws SQLException {
        database.execute("ALTER SYSTEM SET synchronous_standby_names = '" + (needed ? "away" : "") + "'");
        database.execute("SELECT pg_reload_conf()");
    }
}
