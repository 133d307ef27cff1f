package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockCommand;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.testing.Await;
import dev.holdfast.lock.testing.InTime;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Commands for a row that another transaction has locked. */
@Tag("first-build")
class PostgresRowLocksTest extends ManyThreads {

    /** The timeout of calls that wait for a row until the end. */
    private static final Duration CALL_THAT_WAITS = Duration.ofSeconds(12);

    private static final int ROUNDS = 15 * Integer.getInteger("lock.test.scale", 1);

    @Test
    void batch_whenOneRowIsLocked_executesTheOtherCommands() throws Exception {
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId free = id();
            AcquisitionId blocked = id();
            granted(store, acquire("free", free));
            granted(store, acquire("blocked", blocked));
            try (Connection stranger = database.connect()) {
                stranger.setAutoCommit(false);
                stranger.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'blocked' FOR UPDATE");
                List<LockReply> replies = InTime.check(CALL_THAT_WAITS, () -> {
                    List<LockReply> all = store.execute(
                            List.of(renew("blocked", blocked, LEASE), renew("free", free, LEASE)), CALL_THAT_WAITS);
                    assertThat(all.get(1)).isInstanceOf(LockReply.Granted.class);
                    return all;
                });
                assertThat(replies.get(0)).isInstanceOf(LockReply.Unavailable.class);
            }
        }
    }

    @Test
    void batch_whenTheConnectionBreaksAfterAPart_keepsItsReplyAndEnds() throws Exception {
        Duration hour = Duration.ofHours(1);
        try (LockStore store = Opened.store(database.settings());
                Connection stranger = database.connect()) {
            AcquisitionId first = id();
            AcquisitionId blocked = id();
            AcquisitionId last = id();
            granted(store, acquire("a", first, hour));
            granted(store, acquire("b", blocked, hour));
            granted(store, acquire("c", last, hour));
            stranger.setAutoCommit(false);
            stranger.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'b' FOR UPDATE");

            List<LockCommand> batch =
                    List.of(renew("a", first, hour.multipliedBy(3)), renew("b", blocked, hour), renew("c", last, hour));
            // The second part waits for a third of the call at most: a query that comes later finds no waiting session.
            InTime.check(CALL_THAT_WAITS.dividedBy(3), () -> {
                database.execute(
                        "UPDATE holdfast_lock SET expires_at = clock_timestamp() + interval '1 hour' WHERE name = 'a'");
                Future<List<LockReply>> replies = threads.submit(() -> store.execute(batch, CALL_THAT_WAITS));
                Await.until(
                        "the first part is executed, and the second waits",
                        () -> replies.isDone() || (isHeldForTwoHours("a") && isAWaitingSessionEnded()));

                assertThat(Await.result(replies).get(0)).isInstanceOf(LockReply.Granted.class);
                assertThat(Await.result(replies).subList(1, 3)).hasOnlyElementsOfType(LockReply.Unavailable.class);
                return null;
            });
        }
    }

    private boolean isHeldForTwoHours(String lock) throws SQLException {
        return database.value("SELECT expires_at > clock_timestamp() + interval '2 hours' FROM holdfast_lock"
                        + " WHERE name = '" + lock + "'")
                .equals("t");
    }

    private boolean isAWaitingSessionEnded() throws SQLException {
        return database.value("SELECT bool_or(pg_terminate_backend(pid)) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                != null;
    }

    @Test
    void batch_whateverItsOrder_locksRowsInTheOrderOfNames() throws Exception {
        try (LockStore store = Opened.store(database.settings());
                Connection stranger = database.connect()) {
            grantAll(store, "a", "b", "c", "d");
            stranger.setAutoCommit(false);
            stranger.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'b' FOR UPDATE");

            Future<List<LockReply>> replies = threads.submit(() -> store.execute(
                    List.of(acquire("d", id()), acquire("b", id()), acquire("c", id()), acquire("a", id())), CALL));
            Await.until("the batch waits for the row", () -> waitingForRow() == 1);
            assertThat(unlockedRows()).isEqualTo("c d");
            stranger.rollback();

            assertThat(Await.result(replies)).hasOnlyElementsOfType(LockReply.Busy.class);
        }
    }

    @Test
    void batch_whileAnotherTransactionCreatesARow_holdsNoOther() throws Exception {
        try (LockStore store = Opened.store(database.settings());
                Connection stranger = database.connect()) {
            grantAll(store, "a", "b", "c");
            stranger.setAutoCommit(false);
            create(stranger, "d");

            Future<List<LockReply>> replies = threads.submit(() -> store.execute(
                    List.of(acquire("a", id()), acquire("b", id()), acquire("c", id()), acquire("d", id())), CALL));
            Await.until("the batch waits for the row", () -> waitingForRow() == 1);
            assertThat(unlockedRows()).isEqualTo("a b c");
            stranger.commit();

            assertThat(Await.result(replies).subList(0, 3)).hasOnlyElementsOfType(LockReply.Busy.class);
            assertThat(Await.result(replies).get(3)).isInstanceOf(LockReply.Granted.class);
        }
    }

    @Test
    void batch_ofNewNamesInAnyOrder_createsTheirRowsInTheOrderOfNames() throws Exception {
        try (LockStore store = Opened.store(database.settings());
                Connection stranger = database.connect()) {
            stranger.setAutoCommit(false);
            create(stranger, "b");

            Future<List<LockReply>> replies = threads.submit(() -> store.execute(
                    List.of(acquire("d", id()), acquire("c", id()), acquire("b", id()), acquire("a", id())), CALL));
            Await.until("the batch waits for the row", () -> waitingForRow() == 1);
            create(stranger, "c"); // a deadlock if the batch had created it
            stranger.commit();

            assertThat(Await.result(replies)).hasOnlyElementsOfType(LockReply.Granted.class);
        }
        assertThat(database.log()).doesNotContain("deadlock");
    }

    @Test
    void batch_whenAnIdIsGivenUpWhileItWaits_doesNotGrantToIt() throws Exception {
        try (LockStore store = Opened.store(database.settings());
                Connection stranger = database.connect()) {
            for (String name : List.of("a", "b", "c", "d")) {
                AcquisitionId id = id();
                granted(store, acquire(name, id));
                assertThat(ask(store, release(name, id))).isEqualTo(new LockReply.Released(true));
            }
            stranger.setAutoCommit(false);
            stranger.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'b' FOR UPDATE");
            AcquisitionId id = id();

            Future<List<LockReply>> replies = threads.submit(() -> store.execute(
                    List.of(acquire("a", id), acquire("b", id), acquire("c", id), acquire("d", id)), CALL));
            Await.until("the batch waits for the row", () -> waitingForRow() == 1);
            stranger.createStatement()
                    .execute("INSERT INTO holdfast_tombstone VALUES ('test', 'b', '" + new UUID(id.high(), id.low())
                            + "', clock_timestamp() + interval '1 hour')");
            stranger.commit();

            assertThat(Await.result(replies).get(1)).isEqualTo(new LockReply.Gone());
            assertThat(Await.result(replies))
                    .filteredOn(LockReply.Granted.class::isInstance)
                    .hasSize(3);
        }
    }

    @Test
    void batch_whenARowAppearsAfterItsTurn_doesNotWaitForIt() throws Exception {
        try (LockStore store = Opened.store(database.settings());
                Connection first = database.connect();
                Connection second = database.connect()) {
            grantAll(store, "a", "c", "d");
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            first.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'a' FOR UPDATE");

            Future<List<LockReply>> replies = threads.submit(() -> store.execute(
                    List.of(release("a", id()), release("b", id()), release("c", id()), renew("d", id(), LEASE)),
                    CALL));
            Await.until("the batch waits for the row", () -> waitingForRow() == 1);
            create(second, "b");
            second.commit();
            second.createStatement().execute("SELECT FROM holdfast_lock WHERE name = 'b' FOR UPDATE");
            first.rollback();

            LockReply absent = new LockReply.Released(false);
            assertThat(Await.result(replies)).containsExactly(absent, absent, absent, new LockReply.Gone());
        }
    }

    private static void grantAll(LockStore store, String... names) {
        for (String name : names) {
            granted(store, acquire(name, id()));
        }
    }

    private static void create(Connection connection, String name) throws SQLException {
        connection
                .createStatement()
                .execute("INSERT INTO holdfast_lock VALUES ('test', '" + name
                        + "', 0, NULL, '', clock_timestamp(), clock_timestamp(), 'free', 0)");
    }

    /** The names of the committed rows that no transaction has locked. */
    private String unlockedRows() throws SQLException {
        return database.value("SELECT string_agg(name, ' ' ORDER BY name)"
                + " FROM (SELECT name FROM holdfast_lock FOR UPDATE SKIP LOCKED) l");
    }

    @Test
    void acquire_whenRowIsLocked_isUnavailableAndNotBusy() throws SQLException {
        try (LockStore store = Opened.store(database.settings());
                Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            AcquisitionId id = id();
            granted(store, acquire("locked", id));
            stranger.setAutoCommit(false);
            statement.execute("SELECT FROM holdfast_lock FOR UPDATE");
            assertThatThrownBy(() -> store.execute(List.of(renew("locked", id, LEASE)), Duration.ofMillis(300)))
                    .isInstanceOf(LockUnavailableException.class);
            stranger.rollback();
            granted(store, renew("locked", id, LEASE));
        }
    }

    @Test
    void release_whenItsAcquireIsInFlight_meetsItAtTheRow() throws Exception {
        try (LockStore store = Opened.store(database.settings());
                Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            granted(store, acquire("meeting", id(), Duration.ofMillis(1)));
            for (int round = 0; round < ROUNDS; round++) {
                AcquisitionId id = id();
                stranger.setAutoCommit(false);
                statement.execute("SELECT FROM holdfast_lock WHERE name = 'meeting' FOR UPDATE");
                Future<LockReply> acquire = threads.submit(() -> ask(store, acquire("meeting", id)));
                Future<LockReply> release =
                        threads.submit(() -> ask(store, release("meeting", id, Duration.ZERO, LEASE)));
                Await.until("both wait for the row", () -> waitingForRow() == 2);
                stranger.rollback();
                assertThat(List.of(acquire.get().getClass(), release.get()))
                        .isIn(
                                List.of(LockReply.Granted.class, new LockReply.Released(true)),
                                List.of(LockReply.Gone.class, new LockReply.Released(false)));
                assertThat(ask(store, acquire("meeting", id))).isEqualTo(new LockReply.Gone());
            }
        }
    }

    @Test
    void release_ofUnknownName_meetsAnUncommittedAcquire() throws Exception {
        try (LockStore store = Opened.store(database.settings());
                Connection slow = database.connect();
                Statement statement = slow.createStatement()) {
            slow.setAutoCommit(false);
            AcquisitionId id = id();
            String uuid = new UUID(id.high(), id.low()).toString();
            statement.execute(
                    "SELECT FROM holdfast_execute('test', 'channel', 1000, ARRAY['acquire'], ARRAY['unknown'],"
                            + " ARRAY['" + uuid
                            + "'::uuid], ARRAY[30000000]::bigint[], ARRAY[false], ARRAY[0]::bigint[],"
                            + " ARRAY[''], ARRAY[0]::bigint[])");
            Future<LockReply> release = threads.submit(() -> ask(store, release("unknown", id, Duration.ZERO, LEASE)));
            Await.until("the release waits for the row", () -> waitingForRow() == 1);
            slow.commit();
            assertThat(release.get()).isEqualTo(new LockReply.Released(true));
            granted(store, acquire("unknown", id()));
        }
    }

    private int waitingForRow() throws SQLException {
        return Integer.parseInt(
                database.value("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND wait_event_type = 'Lock' AND state = 'active'"));
    }
}
