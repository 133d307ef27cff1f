package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.waiting;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.Transition;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A server whose queue of notifications is full, so that each commit that notifies fails. The real queue takes gigabytes: in the
 * database of the test {@code pg_notify} is another function, which fails the commit as the server does.
 */
@Tag("first-build")
class FullNotificationQueueTest {

    private final Postgres database = Postgres.withTables();

    private void fillQueue() throws SQLException {
        database.execute("SET allow_system_table_mods = on;"
                + " CREATE TABLE public.notified (payload text);"
                + " CREATE FUNCTION public.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                + " RAISE EXCEPTION 'too many notifications in the NOTIFY queue' USING ERRCODE = '54000'; END $$;"
                + " CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON public.notified DEFERRABLE INITIALLY DEFERRED"
                + " FOR EACH ROW EXECUTE FUNCTION public.fail();"
                + " ALTER FUNCTION pg_catalog.pg_notify(text, text) RENAME TO pg_notify_unless_full;"
                + " CREATE FUNCTION pg_catalog.pg_notify(text, text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN"
                + " INSERT INTO public.notified VALUES ($2); END $$");
    }

    @Test
    void release_withWaiters_succeedsAndTheWaiterIsGranted() throws SQLException {
        try (LockStore store = Opened.store(database.settings())) {
            releasesWithWaiters(store);
        }
    }

    private void releasesWithWaiters(LockStore store) throws SQLException {
        fillQueue();
        for (int time = 0; time < 3; time++) {
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            granted(store, acquire("a", holder));
            waiting(store, queue("a", waiter));
            assertThat(ask(store, release("a", holder))).isEqualTo(new LockReply.Released(true));
            granted(store, queue("a", waiter));
            assertThat(ask(store, release("a", waiter))).isEqualTo(new LockReply.Released(true));
        }
    }

    @Test
    void release_inATransactionOfItsOwn_succeeds() throws SQLException {
        HikariConfig config = ApplicationPool.of(database);
        config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        try (HikariDataSource source = new HikariDataSource(config);
                LockStore store = Opened.on(source, new Namespace("app"))) {
            releasesWithWaiters(store);
        }
    }

    @Test
    void batch_withReleasesAndGrants_isExecutedWithoutNotifications() throws SQLException {
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId holder = id();
            granted(store, acquire("a", holder));
            waiting(store, queue("a", id()));
            fillQueue();
            assertThat(store.execute(List.of(release("a", holder), acquire("b", id())), CALL))
                    .hasOnlyElementsOfTypes(LockReply.Released.class, LockReply.Granted.class);
        }
    }

    @Test
    void transition_succeeds() throws SQLException {
        try (AuthorityStore authority = Opened.authority("app", database.settings())) {
            authority.initialize(Duration.ofMinutes(10), 0, CALL);
            AcquisitionId holder = id();
            assertThat(authority.execute(1, List.of(acquire("a", holder), queue("a", id())), CALL))
                    .hasOnlyElementsOfTypes(LockReply.Granted.class, LockReply.Queued.class);
            fillQueue();
            assertThat(authority.execute(1, List.of(release("a", holder)), CALL))
                    .containsExactly(new LockReply.Released(true));
            assertThat(authority.transition(new Transition.BeginFailback(1, "replication-id"), CALL))
                    .isTrue();
        }
    }

    @Test
    void diagnose_whenTheQueueIsMoreThanHalfFull_warns() throws SQLException {
        try (LockStore store = Opened.store(database.settings())) {
            assertThat(store.diagnose(CALL))
                    .noneMatch(finding -> finding.subject().equals("queue"));
            database.execute("SET allow_system_table_mods = on;"
                    + " ALTER FUNCTION pg_catalog.pg_notification_queue_usage() RENAME TO real_usage;"
                    + " CREATE FUNCTION pg_catalog.pg_notification_queue_usage() RETURNS float8 LANGUAGE sql"
                    + " AS 'SELECT 0.51::float8'");
            assertThat(store.diagnose(CALL))
                    .filteredOn(finding -> finding.subject().equals("queue"))
                    .singleElement()
                    .satisfies(finding -> assertThat(finding.found()).contains("filled to 51 %"));
        }
    }
}
