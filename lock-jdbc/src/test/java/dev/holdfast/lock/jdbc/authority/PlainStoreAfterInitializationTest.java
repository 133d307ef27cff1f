package dev.holdfast.lock.jdbc.authority;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.Opened;
import dev.holdfast.lock.jdbc.Postgres;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.failover.AuthorityState;
import dev.holdfast.lock.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A composite that begins while a plain store uses the namespace. */
@Tag("first-build")
class PlainStoreAfterInitializationTest {

    private static final long HANG_SECONDS = 60;

    private final Postgres database = Postgres.withTables();
    private final LockStore plain = Opened.store("app", database.settings());
    private final Authority authority = Authority.on(database);
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        threads.shutdownNow();
        plain.close();
        authority.close();
    }

    @Test
    void plainStore_afterInitialize_isRefused() throws SQLException {
        List<LockCommand> commands =
                List.of(acquire("a", id()), queue("b", id()), release("c", id(), Duration.ZERO, Duration.ofHours(1)));
        authority.found();
        for (LockCommand command : commands) {
            refused(() -> ask(plain, command));
        }
        for (int time = 0; time < 10; time++) { // the statement is prepared on the server before the last
            refused(() -> plain.execute(commands, CALL));
        }
        assertThat(plain.execute(List.of(), CALL)).isEmpty();
        assertThat(database.value("SELECT count(*) FROM holdfast_lock")).isEqualTo("0");
        assertThat(database.value("SELECT count(*) FROM holdfast_tombstone")).isEqualTo("0");
    }

    @Test
    void initialize_waitsForCommandsInFlight() throws Exception {
        try (Connection stranger = rowTaken()) {
            Future<LockReply> acquiring = threads.submit(() -> ask(plain, acquire("taken", id())));
            awaitBlocked(1);
            Future<AuthorityState> founding = threads.submit(authority::found);
            Await.until("the founder waits", () -> blocked() == 2 || founding.isDone());
            stranger.rollback();
            assertThat(acquiring.get(HANG_SECONDS, TimeUnit.SECONDS)).isInstanceOf(LockReply.Granted.class);
            assertThatThrownBy(() -> founding.get(HANG_SECONDS, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(LockConfigurationException.class);
        }
    }

    @Test
    void plainStore_duringInitialize_isRefused() throws Exception {
        try (Connection stranger = rowTaken()) {
            Future<LockReply> renewing = threads.submit(() -> ask(plain, renew("taken", id(), LEASE)));
            awaitBlocked(1);
            Future<AuthorityState> founding = threads.submit(authority::found);
            awaitBlocked(2);
            Future<LockReply> acquiring = threads.submit(() -> ask(plain, acquire("free", id())));
            Await.until("the acquire waits", () -> blocked() == 3 || acquiring.isDone());
            stranger.rollback();
            assertThat(renewing.get(HANG_SECONDS, TimeUnit.SECONDS)).isInstanceOf(LockReply.Gone.class);
            assertThat(founding.get(HANG_SECONDS, TimeUnit.SECONDS).epoch()).isEqualTo(1);
            assertThatThrownBy(() -> acquiring.get(HANG_SECONDS, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(LockConfigurationException.class);
        }
        assertThat(database.value("SELECT count(*) FROM holdfast_lock WHERE name = 'free'"))
                .isEqualTo("0");
    }

    private Connection rowTaken() throws SQLException {
        database.execute(
                "INSERT INTO holdfast_lock (namespace, name, token, owner, granted_at, expires_at, state, waiter_count)"
                        + " VALUES ('app', 'taken', 1, '', now(), now(), 'free', 0)");
        Connection stranger = database.connect();
        stranger.setAutoCommit(false);
        stranger.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'taken' FOR UPDATE");
        return stranger;
    }

    private void awaitBlocked(int sessions) {
        Await.until(sessions + " wait for a lock", () -> blocked() == sessions);
    }

    private int blocked() throws SQLException {
        return Integer.parseInt(
                database.value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND wait_event_type = 'Lock' AND state = 'active'"));
    }

    private static void refused(ThrowingCallable asking) {
        assertThatThrownBy(asking)
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("the namespace app")
                .hasMessageContaining("lock.provider=composite");
    }
}
