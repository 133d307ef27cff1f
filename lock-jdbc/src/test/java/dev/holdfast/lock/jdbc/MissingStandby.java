package dev.holdfast.lock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.testing.Await;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A server whose commits wait for a standby that is not connected. */
@ResourceLock(PostgresServer.TO_CONFIGURE)
abstract class MissingStandby {

    static final String WAITING = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";

    static PostgresServer server;

    final ExecutorService threads = Executors.newCachedThreadPool();
    Postgres database;

    @BeforeAll
    static void start() {
        server = PostgresServer.toConfigure();
        assumeTrue(server.canFail());
    }

    @BeforeEach
    void makeDatabase() throws SQLException {
        database = Postgres.withStandingClock(server);
        database.execute("CREATE TABLE probe (one integer)");
    }

    @AfterEach
    void end() throws SQLException {
        letStandbyBe(false);
        threads.shutdownNow();
    }

    String waits() throws SQLException {
        return database.value("SELECT count(*) " + WAITING);
    }

    /** Under way, and waiting for the standby. */
    <T> Future<T> waits(Callable<T> call) {
        Future<T> future = threads.submit(call);
        Await.until(
                "it waits for the standby",
                () -> future.isDone()
                        || database.value("SELECT count(*) " + WAITING).equals("1"));
        return future;
    }

    void cancel() throws SQLException {
        assertThat(database.value("SELECT bool_and(pg_cancel_backend(pid)) " + WAITING))
                .isEqualTo("t");
    }

    /** From now on commits wait. */
    void takeStandbyAway() throws Exception {
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

    void letStandbyBe(boolean needed) throws SQLException {
        database.execute("ALTER SYSTEM SET synchronous_standby_names = '" + (needed ? "away" : "") + "'");
        database.execute("SELECT pg_reload_conf()");
    }
}
