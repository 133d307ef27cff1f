package dev.holdfast.lock.jdbc;

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
import dev.holdfast.lock.jdbc.server.PostgresProxy;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Namespace;
import dev.holdfast.lock.spi.Notification;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** LISTEN and NOTIFY: connections that break, and connections that are given back. */
@Tag("first-build")
class PostgresNotificationsTest {

    /** By its last statement: LISTEN, or the check of a silent connection. */
    private static final String LISTENING =
            "FROM pg_stat_activity WHERE datname = current_database() AND query SIMILAR TO '(LISTEN%|SELECT 1)'";

    private final Postgres database = Postgres.withStandingClock();
    private final ReceivedNotifications heard = new ReceivedNotifications();

    @Test
    void notifications_afterConnectionWasKilled_comeBack() throws SQLException {
        try (LockStore store = Opened.store(database.settings())) {
            store.subscribe(heard);
            heard.awaitAny();
            for (int time = 0; time < 3; time++) {
                int before = heard.count();
                Await.until(
                        "the session killed before has ended",
                        () -> database.value("SELECT count(*) " + LISTENING).equals("1"));
                assertThat(database.value("SELECT count(pg_terminate_backend(pid)) " + LISTENING))
                        .isEqualTo("1");
                heard.await(Notification.ANY, before);
                aReleaseIsHeard(store, "killed " + time);
            }
        }
    }

    @Test
    void notifications_afterProxyWasCut_comeBack() {
        try (PostgresProxy proxy = new PostgresProxy(database.server());
                LockStore store = Opened.store(database.settings("lock.jdbc.url", proxy.url(database.url())))) {
            store.subscribe(heard);
            heard.awaitAny();
            int before = heard.count();
            int connections = proxy.connections();
            proxy.refuse();
            Await.until("it tries and tries again", () -> proxy.connections() > connections + 2);
            assertThat(heard.count()).isEqualTo(before);
            proxy.heal();
            heard.await(Notification.ANY, before);
            try (LockStore other = Opened.store(database.settings())) {
                aReleaseIsHeard(other, "after the cut");
            }
        }
    }

    @Test
    void subscribers_shareOneConnectionAndLeaveNone() throws Exception {
        try (LockStore store = Opened.store(database.settings("lock.jdbc.pool-size", "1"))) {
            AutoCloseable one = store.subscribe(heard);
            heard.awaitAny();
            ReceivedNotifications more = new ReceivedNotifications();
            AutoCloseable other = store.subscribe(more);
            more.awaitAny();
            assertThat(database.value("SELECT count(*) " + LISTENING)).isEqualTo("1");
            one.close();
            assertThat(database.value("SELECT count(*) " + LISTENING)).isEqualTo("1");
            other.close();
            Await.until(
                    "no session listens",
                    () -> database.value("SELECT count(*) " + LISTENING).equals("0"));
            aReleaseIsNotHeard(store);
        }
        Await.until(
                "all connections are closed",
                () -> database.value("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'holdfast'"
                                + " AND datname = current_database()")
                        .equals("0"));
    }

    private void aReleaseIsNotHeard(LockStore store) {
        int before = heard.count();
        AcquisitionId id = id();
        granted(store, acquire("unheard", id));
        waiting(store, queue("unheard", id()));
        ask(store, release("unheard", id));
        assertThat(heard.count()).isEqualTo(before);
    }

    @Test
    void notifications_ofAnotherNamespace_areNotReceived() {
        try (LockStore store = Opened.store("mine", database.settings());
                LockStore other = Opened.store("yours", database.settings())) {
            ReceivedNotifications elsewhere = new ReceivedNotifications();
            store.subscribe(heard);
            other.subscribe(elsewhere);
            heard.awaitAny();
            elsewhere.awaitAny();
            aReleaseIsHeard(store, "same name");
            assertThat(elsewhere.all()).containsExactly(Notification.ANY);
        }
    }

    @Test
    void notifications_withUnknownPayload_wakeEveryWaiter() throws SQLException {
        try (LockStore store = Opened.store(database.settings())) {
            store.subscribe(heard);
            heard.awaitAny();
            String channel = database.value("SELECT substr(query, 8) " + LISTENING);
            for (String payload :
                    new String[] {"", "what?", id() + " short", "no uuid at all, but long enough for one"}) {
                int before = heard.count();
                database.execute("SELECT pg_notify('" + channel + "', '" + payload + "')");
                heard.await(Notification.ANY, before);
            }
            aReleaseIsHeard(store, "and goes on");
        }
    }

    @Test
    void applicationConnection_afterListening_isUnchanged() throws SQLException {
        HikariConfig config = ApplicationPool.of(database);
        config.setMaximumPoolSize(4);
        config.setAutoCommit(false);
        try (HikariDataSource source = new HikariDataSource(config)) {
            LockStore store = Opened.on(source, new Namespace("callers"));
            store.subscribe(heard);
            heard.awaitAny();
            aReleaseIsHeard(store, "callers");
            Await.until(
                    "all but the one that listens are given back",
                    () -> source.getHikariPoolMXBean().getActiveConnections() == 1);
            store.close();
            Await.until("all are given back", () -> source.getHikariPoolMXBean().getActiveConnections() == 0);
            assertThat(database.value("SELECT count(*) " + LISTENING)).isEqualTo("0");
        }
    }

    @Test
    void applicationConnection_afterListening_hasNoListen() throws SQLException {
        TransactionBoundDataSource source = new TransactionBoundDataSource(database);
        LockStore store = Opened.on(source, new Namespace("callers"));
        store.subscribe(heard);
        heard.awaitAny();
        Connection listening = source.last();
        aReleaseIsHeard(store, "callers");
        store.close();
        Await.until("the thread has ended", () -> !heard.teller().isAlive());
        assertThat(listening.isClosed()).isFalse();
        assertThat(listening.getAutoCommit()).isFalse();
        assertThat(listening.getNetworkTimeout()).isZero();
        try (ResultSet channels = listening.createStatement().executeQuery("SELECT * FROM pg_listening_channels()")) {
            assertThat(channels.next()).isFalse();
        }
    }

    private void aReleaseIsHeard(LockStore store, String name) {
        AcquisitionId holder = id();
        AcquisitionId next = id();
        granted(store, acquire(name, holder));
        waiting(store, queue(name, next));
        ask(store, release(name, holder));
        heard.awaitTurn(name, next);
    }
}
