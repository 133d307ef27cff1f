package dev.holdfast.lock.jdbc;

import static dev.holdfast.lock.jdbc.Commands.CALL;
import static dev.holdfast.lock.jdbc.Commands.LEASE;
import static dev.holdfast.lock.jdbc.Commands.acquire;
import static dev.holdfast.lock.jdbc.Commands.ask;
import static dev.holdfast.lock.jdbc.Commands.granted;
import static dev.holdfast.lock.jdbc.Commands.id;
import static dev.holdfast.lock.jdbc.Commands.queue;
import static dev.holdfast.lock.jdbc.Commands.release;
import static dev.holdfast.lock.jdbc.Commands.renew;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockUnavailableException;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Row-level security and triggers on Holdfast's tables, which hide rows, discard changes or move rows. */
@Tag("first-build")
class RowSecurityAndTriggersTest {

    private static final String DISCARD = "CREATE OR REPLACE FUNCTION discard() RETURNS trigger LANGUAGE plpgsql AS"
            + " $$ BEGIN IF OLD.name = 'a' OR NEW.name = 'a' THEN RETURN NULL; END IF; RETURN coalesce(NEW, OLD); END $$;";

    private static final String DISCARD_ALL = "CREATE OR REPLACE FUNCTION discard() RETURNS trigger LANGUAGE plpgsql AS"
            + " $$ BEGIN RETURN NULL; END $$;";

    private final Postgres database = Postgres.withTables();

    @Test
    void batch_whenRowSecurityHidesARow_executesTheOtherCommands() throws SQLException {
        try (LockStore owners = Opened.store(database.settings())) {
            granted(owners, acquire("a", id()));
            granted(owners, acquire("z", id(), Duration.ofMillis(1)));
        }
        try (LockStore store = Opened.store(settingsOfRoleWithoutBypass())) {
            database.execute("ALTER TABLE holdfast_lock ENABLE ROW LEVEL SECURITY;"
                    + " CREATE POLICY hide ON holdfast_lock USING (name <> 'a') WITH CHECK (true)");

            List<LockReply> replies = store.execute(List.of(acquire("a", id()), acquire("z", id())), CALL);

            assertHidden(replies.get(0));
            assertThat(replies.get(1)).isInstanceOf(LockReply.Granted.class);
            database.execute("ALTER TABLE holdfast_lock DISABLE ROW LEVEL SECURITY");
            assertThat(ask(store, acquire("a", id()))).isInstanceOf(LockReply.Busy.class);
        }
    }

    private Map<String, String> settingsOfRoleWithoutBypass() throws SQLException {
        String role = "hidden_" + database.name();
        database.execute("CREATE ROLE " + role + " LOGIN PASSWORD 'hidden';"
                + " GRANT ALL ON ALL TABLES IN SCHEMA public TO " + role);
        return database.settings("lock.jdbc.username", role, "lock.jdbc.password", "hidden");
    }

    private static void assertHidden(LockReply reply) {
        assertThat(reply).isInstanceOf(LockReply.Unavailable.class);
        assertThat(((LockReply.Unavailable) reply).cause())
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining(
                        "the row of the lock a in the table holdfast_lock can neither be read nor created");
    }

    @Test
    void batch_whenATriggerDiscardsANewRow_executesTheOtherCommands() throws SQLException {
        try (LockStore store = Opened.store(database.settings())) {
            discard("INSERT", "holdfast_lock");

            List<LockReply> replies = store.execute(
                    List.of(acquire("a", id()), acquire("z", id()), release("a", id(), Duration.ZERO, LEASE)), CALL);

            assertHidden(replies.get(0));
            assertThat(replies.get(1)).isInstanceOf(LockReply.Granted.class);
            assertHidden(replies.get(2));
        }
    }

    @Test
    void batch_whenATriggerDiscardsANewRowOnce_knowsItFromThenOn() throws SQLException {
        try (LockStore store = Opened.store(database.settings())) {
            database.execute("CREATE SEQUENCE inserts; CREATE FUNCTION discard() RETURNS trigger LANGUAGE plpgsql AS"
                    + " $$ BEGIN IF nextval('public.inserts') = 1 THEN RETURN NULL; END IF; RETURN NEW; END $$;"
                    + " CREATE TRIGGER discard BEFORE INSERT ON holdfast_lock FOR EACH ROW WHEN (NEW.name = 'a')"
                    + " EXECUTE FUNCTION discard()");
            AcquisitionId id = id();

            List<LockReply> replies = store.execute(
                    List.of(acquire("a", id), acquire("y", id()), acquire("z", id()), release("a", id)), CALL);

            assertThat(replies.subList(0, 3)).hasOnlyElementsOfType(LockReply.Granted.class);
            assertThat(replies.get(3)).isEqualTo(new LockReply.Released(true));
        }
    }

    @Test
    void batch_whenATriggerDiscardsAChange_isUnavailable() throws SQLException {
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId id = id();
            for (String name : List.of("a", "b", "c", "d")) {
                granted(store, acquire(name, id));
            }
            discard("UPDATE", "holdfast_lock");
            assertThatThrownBy(() -> store.execute(
                            List.of(release("d", id), release("c", id), release("b", id), release("a", id)), CALL))
                    .satisfies(this::namesTheLock);
            database.execute("DROP TRIGGER discard ON holdfast_lock");
            assertThat(ask(store, release("d", id))).isEqualTo(new LockReply.Released(true));
        }
    }

    private void discard(String change, String table) throws SQLException {
        database.execute(DISCARD + " CREATE TRIGGER discard BEFORE " + change + " ON " + table
                + " FOR EACH ROW EXECUTE FUNCTION discard()");
    }

    @Test
    void command_whenATriggerDiscardsItsChange_isUnavailable() throws SQLException {
        try (LockStore store = Opened.store(database.settings())) {
            AcquisitionId holder = id();
            granted(store, acquire("a", holder));
            discard("UPDATE", "holdfast_lock");
            assertThatThrownBy(() -> ask(store, renew("a", holder, LEASE))).satisfies(this::namesTheLock);
            assertThatThrownBy(() -> ask(store, release("a", holder))).satisfies(this::namesTheLock);
            discard("INSERT", "holdfast_waiter");
            assertThatThrownBy(() -> ask(store, queue("a", id()))).satisfies(this::namesTheLock);
            database.execute("DROP TRIGGER discard ON holdfast_lock");
            assertThatThrownBy(() -> ask(store, queue("a", id()))).satisfies(this::namesTheLock);
            discard("INSERT", "holdfast_tombstone");
            assertThatThrownBy(() -> ask(store, release("a", id(), Duration.ZERO, LEASE)))
                    .satisfies(this::namesTheLock);
            database.execute("DROP TRIGGER discard ON holdfast_tombstone");
            granted(store, renew("a", holder, LEASE));
        }
    }

    private void namesTheLock(Throwable failure) {
        assertThat(failure)
                .isInstanceOf(LockUnavailableException.class)
                .hasMessageContaining("for the lock a failed: row-level security or a trigger");
    }

    @Test
    void acquire_whenATriggerMovesTheRow_grantsNothing() throws SQLException {
        try (LockStore store = Opened.store(database.settings())) {
            granted(store, acquire("a", id()));
            String before = "SELECT token FROM holdfast_lock";
            String token = database.value(before);
            database.execute("UPDATE holdfast_lock SET expires_at = clock_timestamp() - interval '1 second'");
            database.execute("CREATE FUNCTION move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
                    + " UPDATE public.holdfast_lock SET owner = 'moved' WHERE name = NEW.name; RETURN NULL; END $$;"
                    + " CREATE TRIGGER move AFTER INSERT ON holdfast_tombstone FOR EACH ROW EXECUTE FUNCTION move()");

            assertThatThrownBy(() -> ask(store, acquire("a", id()))).satisfies(this::namesTheLock);
            assertThat(database.value(before)).isEqualTo(token);
        }
    }

    @Test
    void authority_whenATriggerDiscardsChanges_reportsIt() throws SQLException {
        try (AuthorityStore authority = Opened.authority("app", database.settings())) {
            authority.initialize(Duration.ofMinutes(10), 0, CALL);
            assertThat(authority.transition(new Transition.BeginFailback(1, "replication-id"), CALL))
                    .isTrue();
            database.execute(DISCARD_ALL + " CREATE TRIGGER discard BEFORE UPDATE ON holdfast_authority_state"
                    + " FOR EACH ROW EXECUTE FUNCTION discard()");
            assertThatThrownBy(() -> authority.transition(new Transition.ActivatePrimary(2), CALL))
                    .isInstanceOf(LockUnavailableException.class)
                    .hasMessageContaining("trigger on the table holdfast_authority_state");
            database.execute("DROP TRIGGER discard ON holdfast_authority_state");
            assertThat(authority.transition(new Transition.ActivatePrimary(2), CALL))
                    .isTrue();
            assertThat(authority.transition(new Transition.DrainPrimary(2, "a test"), CALL))
                    .isTrue();
            discard("INSERT", "holdfast_lock");
            TransferredLease ofA = new TransferredLease(
                    new LockName("a"), id(), 7, Duration.ZERO, LEASE, false, "a test", Share.EXCLUSIVE);
            TransferredLease ofZ = new TransferredLease(
                    new LockName("z"), id(), 8, Duration.ZERO, LEASE, false, "a test", Share.EXCLUSIVE);
            List<LockReply> replies = authority.assertLeases(3, List.of(ofA, ofZ), CALL);
            assertHidden(replies.get(0));
            assertThat(replies.get(1)).isInstanceOf(LockReply.Granted.class);
        }
    }

    @Test
    void prune_whenATriggerDiscardsTheTokenFloor_removesNothing() throws SQLException {
        try (LockStore store = Opened.store(database.settings())) {
            granted(store, acquire("idle", id(), Duration.ofMillis(1)));
        }
        database.execute("UPDATE holdfast_lock SET expires_at = expires_at - interval '1 day'; " + DISCARD_ALL
                + " CREATE TRIGGER discard BEFORE UPDATE ON holdfast_token_floor"
                + " FOR EACH ROW EXECUTE FUNCTION discard()");
        assertThatThrownBy(() -> database.execute("SELECT holdfast_prune(60000000::int8, 0::int8, 1000)"))
                .hasMessageContaining("trigger on the table holdfast_token_floor");
        assertThat(database.value("SELECT count(*) FROM holdfast_lock")).isEqualTo("1");
    }
}
