package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lock.jdbc.server.PostgresServer;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The rows of a queue that PostgreSQL reads. On a server without other tests: while any transaction is open, entries of
 * deleted rows stay in an index and are read.
 */
@Tag("first-build")
@ResourceLock(PostgresServer.TO_CONFIGURE)
class QueueReadsTest {

    private static final int ASKS = 50;

    private final PostgresServer server = PostgresServer.toConfigure();
    private final Postgres database = Postgres.withStandingClock(server);

    @AfterEach
    void reset() throws SQLException {
        database.execute("ALTER SYSTEM RESET autovacuum");
        database.execute("SELECT pg_reload_conf()");
    }

    @Test
    void request_readsTheSameNumberOfRowsInALongQueue() throws SQLException {
        for (String table : List.of("holdfast_lock", "holdfast_waiter", "holdfast_tombstone")) {
            database.execute("VACUUM ANALYZE " + table); // so that they are known to be empty
        }
        withoutOldSnapshots();
        try (LockStore store = Opened.store(database.settings("lock.jdbc.pool-size", "1"))) {
            granted(store, acquire("asked for", id(), Duration.ofHours(1)));
            AcquisitionId waiter = id();
            askAndLeave(store, waiter); // the session makes its plans
            database.execute("INSERT INTO holdfast_waiter (namespace, name, position, id, owner, seen_at)"
                    + " SELECT namespace, name, 100 + position, gen_random_uuid(), '', stepped_clock()"
                    + " FROM holdfast_lock, generate_series(1, 2000) position");
            database.execute("UPDATE holdfast_lock SET waiter_count = waiter_count + 2000");
            askAndLeave(store, waiter);
        }
        Await.until("the session's reads are counted", () -> reads("n_tup_ins") > 2_000 + 2 * ASKS);
        assertThat(reads("seq_tup_read") + reads("idx_tup_read"))
                .as("rows of waiters that were read")
                .isLessThan(40L * ASKS);
    }

    /** An automatic ANALYZE looks at the database for long. */
    private void withoutOldSnapshots() throws SQLException {
        database.execute("ALTER SYSTEM SET autovacuum = off");
        database.execute("SELECT pg_reload_conf()");
        Await.until(
                "no other session uses this database",
                () -> database.value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                + " AND pid <> pg_backend_pid()"
                                + " AND (backend_xmin IS NOT NULL OR backend_type = 'autovacuum worker')")
                        .equals("0"));
    }

    private static void askAndLeave(LockStore store, AcquisitionId waiter) {
        for (int time = 0; time < ASKS; time++) {
            AcquisitionId another = id();
            waiting(store, queue("asked for", waiter));
            waiting(store, queue("asked for", another));
            ask(store, release("asked for", another));
        }
    }

    private long reads(String what) throws SQLException {
        String of = what.startsWith("idx") ? "pg_stat_user_indexes" : "pg_stat_user_tables";
        return Long.parseLong(
                database.value("SELECT sum(" + what + ") FROM " + of + " WHERE relname = 'holdfast_waiter'"));
    }
}
