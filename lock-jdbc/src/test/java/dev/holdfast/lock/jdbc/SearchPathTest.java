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
import static dev.holdfast.lock.jdbc.Commands.waiting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.lock.LockConfigurationException;
import dev.holdfast.lock.jdbc.postgresql.PostgreSql;
import dev.holdfast.lock.jdbc.schema.SchemaScripts;
import dev.holdfast.lock.spi.AcquisitionId;
import dev.holdfast.lock.spi.Finding;
import dev.holdfast.lock.spi.LockName;
import dev.holdfast.lock.spi.LockReply;
import dev.holdfast.lock.spi.LockStore;
import dev.holdfast.lock.spi.Share;
import dev.holdfast.lock.spi.failover.AuthorityStore;
import dev.holdfast.lock.spi.failover.Membership;
import dev.holdfast.lock.spi.failover.TransferredLease;
import dev.holdfast.lock.spi.failover.Transition;
import dev.holdfast.lock.testing.Await;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Objects of other roles in a schema: they neither change the locks nor are called. */
@Tag("first-build")
class SearchPathTest {

    private static final Duration REGIME_LEASE = Duration.ofSeconds(30);

    private static final String ALTERED = "a function is missing, altered, or bound to a schema that was renamed since";

    private final Postgres database = Postgres.database();

    @Test
    void objectsOfOtherRolesInTheSchema_areNeverCalled() throws Exception {
        database.execute("CREATE SCHEMA locks");
        Map<String, String> settings = database.settings("lock.jdbc.url", database.url() + "?currentSchema=locks");
        Opened.store("app", settings).close(); // makes the tables
        setTraps();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET search_path = locks");
            assertThatThrownBy(() -> statement.executeQuery("SELECT 1::bigint * interval '1 second'"))
                    .hasMessageContaining("code of another role was called"); // so they are traps
        }

        try (LockStore store = Opened.store("app", settings)) {
            AcquisitionId holder = id();
            AcquisitionId waiter = id();
            granted(store, acquire("a", holder));
            waiting(store, queue("a", waiter));
            granted(store, renew("a", holder, LEASE));
            assertThat(store.list("", CALL)).hasSize(1);
            assertThat(store.diagnose(CALL))
                    .extracting(Finding::subject)
                    .contains("schema", "replication")
                    .doesNotContain("rights");
            ask(store, release("a", holder, Duration.ZERO, LEASE));
            granted(store, queue("a", waiter));
            assertThat(store.execute(List.of(release("a", waiter), acquire("b", id(), Duration.ofMillis(1))), CALL))
                    .hasSize(2)
                    .first()
                    .isEqualTo(new LockReply.Released(true));
        }
        try (AuthorityStore authority = Opened.authority("composite", settings)) {
            authority.initialize(REGIME_LEASE, 0, CALL);
            AcquisitionId member = id();
            authority.read(new Membership(member, "a test", 0), CALL);
            AcquisitionId kept = id();
            assertThat(authority.execute(1, List.of(acquire("a", id()), acquire("b", kept), release("b", kept)), CALL))
                    .hasOnlyElementsOfTypes(LockReply.Granted.class, LockReply.Released.class);
            assertThat(authority.transition(new Transition.BeginFailback(1, "replication-id"), CALL))
                    .isTrue();
            assertThat(authority.leases(2, Optional.empty(), 10, CALL)).hasSize(1);
            assertThat(authority.transition(new Transition.ActivatePrimary(2), CALL))
                    .isTrue();
            assertThat(authority.transition(new Transition.DrainPrimary(2, "a test"), CALL))
                    .isTrue();
            TransferredLease grant = new TransferredLease(
                    new LockName("a"), id(), 7, Duration.ZERO, LEASE, false, "a test", Share.EXCLUSIVE);
            assertThat(authority.assertLeases(3, List.of(grant), CALL)).first().isInstanceOf(LockReply.Granted.class);
            assertThat(authority.transition(new Transition.ActivateFallback(3), CALL))
                    .isTrue();
            assertThat(authority.highestToken(CALL)).isPositive();
            assertThat(authority.diagnose(CALL)).isNotEmpty();
            authority.leave(member, CALL);
        }
        database.execute("UPDATE locks.holdfast_lock SET expires_at = expires_at - '1 day'::interval");
        Await.until("all rows are pruned, if no other pruning is in the way", () -> {
            database.execute("SET search_path = locks; SELECT holdfast_prune(60000000::int8, 0::int8, 1000)");
            return database.value("SELECT count(*) FROM locks.holdfast_lock").equals("0");
        });
    }

    /** As a role that may create in the schema, and nothing else. */
    private void setTraps() throws SQLException, IOException {
        String role = "mallory_" + database.value("SELECT current_database()");
        database.execute("CREATE ROLE " + role + "; GRANT USAGE, CREATE ON SCHEMA locks TO " + role);
        try (var traps = SearchPathTest.class.getResourceAsStream("/traps.sql")) {
            database.execute("SET ROLE " + role + ";" + new String(traps.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    @Test
    void schemaNamedLikeARole_whenCreatedLater_givesThatRoleNoOtherLocks() throws SQLException {
        byHand("public");
        String role = "alice_" + database.value("SELECT current_database()");
        database.execute("CREATE ROLE " + role + " LOGIN SUPERUSER PASSWORD 'alice'");
        Map<String, String> alices = database.settings(
                "lock.jdbc.username", role, "lock.jdbc.password", "alice", "lock.jdbc.migrate", "false");
        try (LockStore bobs = Opened.store(database.settings("lock.jdbc.migrate", "false"));
                LockStore before = Opened.store(alices)) {
            granted(bobs, acquire("one", id()));
            database.execute("CREATE SCHEMA " + role);
            database.execute("SET search_path = " + role + ";" + script("V1__tables.sql"));
            assertThat(ask(before, acquire("one", id()))).isInstanceOf(LockReply.Busy.class);
        }
        assertThatThrownBy(() -> Opened.store(alices).close()) // a new store finds those tables first, and no functions
                .isInstanceOf(LockConfigurationException.class);
        database.execute("DROP SCHEMA " + role + " CASCADE; CREATE SCHEMA " + role);
        try (LockStore after = Opened.store(alices)) {
            assertThat(ask(after, acquire("one", id()))).isInstanceOf(LockReply.Busy.class);
        }
    }

    @Test
    void open_whenAFunctionHasAnotherSearchPath_isRefused() throws SQLException {
        byHand("locks");
        Map<String, String> settings = database.settings(
                "lock.jdbc.url", database.url() + "?currentSchema=locks", "lock.jdbc.migrate", "false");
        Opened.store(settings).close();
        String function = "locks.holdfast_commit_durably()";
        for (String path : List.of("\"$user\", public", "locks, pg_catalog", "pg_catalog", "pg_temp, pg_catalog")) {
            database.execute("ALTER FUNCTION " + function + " SET search_path = " + path);
            refused(settings, ALTERED);
        }
        database.execute("ALTER FUNCTION " + function + " RESET search_path");
        refused(settings, ALTERED);
        byHand("locks"); // which mends it
        Opened.store(settings).close();
    }

    @Test
    void open_afterSchemaWasRenamed_isRefusedUntilFunctionsAreCreatedAgain() throws SQLException {
        byHand("locks");
        database.execute("ALTER SCHEMA locks RENAME TO \"my locks\"; CREATE SCHEMA locks");
        Map<String, String> settings = database.settings(
                "lock.jdbc.url", database.url() + "?currentSchema=%22my%20locks%22", "lock.jdbc.migrate", "false");
        refused(settings, ALTERED);
        byHand("my locks");
        try (LockStore store = Opened.store(settings)) {
            granted(store, acquire("a", id()));
        }
    }

    @Test
    void open_whenFunctionsWereRestoredFromADump_isAccepted() throws SQLException {
        byHand("locks");
        Map<String, String> settings = database.settings(
                "lock.jdbc.url", database.url() + "?currentSchema=locks", "lock.jdbc.migrate", "false");
        database.execute("""
                DO $$
                DECLARE
                    definition text;
                BEGIN
                    FOR definition IN
                        SELECT pg_get_functiondef(p.oid) FROM pg_proc p WHERE p.pronamespace = 'locks'::regnamespace
                    LOOP
                        EXECUTE definition;
                    END LOOP;
                END
                $$
                """);
        try (LockStore store = Opened.store(settings)) {
            granted(store, acquire("a", id()));
        }
    }

    @Test
    void schemas_ofOneDatabase_haveTheirOwnLocks() throws SQLException {
        byHand("one");
        byHand("the \"other\" one");
        String url = database.url() + "?currentSchema=";
        try (LockStore one = Opened.store(database.settings("lock.jdbc.url", url + "one"));
                LockStore other =
                        Opened.store(database.settings("lock.jdbc.url", url + "%22the%20%22%22other%22%22%20one%22"))) {
            granted(one, acquire("a", id()));
            granted(other, acquire("a", id()));
            assertThat(ask(one, acquire("a", id()))).isInstanceOf(LockReply.Busy.class);
            assertThat(ask(other, acquire("a", id()))).isInstanceOf(LockReply.Busy.class);
        }
    }

    @Test
    void createFunctions_withoutTablesInTheSchema_isRefused() throws SQLException {
        assertThatThrownBy(() -> database.execute(script("functions.sql")))
                .hasMessageContaining("no tables of Holdfast in the schema public: run V1__tables.sql first");
        database.execute("CREATE SCHEMA elsewhere; SET search_path = elsewhere;" + script("V1__tables.sql"));
        assertThatThrownBy(() -> database.execute(script("functions.sql")))
                .hasMessageContaining("no tables of Holdfast in the schema public");
    }

    private void refused(Map<String, String> settings, String why) {
        assertThatThrownBy(() -> Opened.store(settings).close())
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining(why);
    }

    /** As in psql; for public with the search path of the role. */
    private void byHand(String schema) throws SQLException {
        String quoted = "\"" + schema.replace("\"", "\"\"") + "\"";
        String before = schema.equals("public")
                ? ""
                : "CREATE SCHEMA IF NOT EXISTS " + quoted + "; SET search_path = " + quoted + ";";
        SchemaScripts scripts = new PostgreSql().scripts();
        for (String name : scripts.names()) {
            database.execute(before + scripts.text(name));
        }
    }

    private static String script(String name) {
        return new PostgreSql().scripts().text(name);
    }
}
